import type { Array } from "effect"
import type { ApiToken } from "./ApiToken.ts"
import type { Fact } from "./Audit.ts"
import type { Decision } from "./Decision.ts"
import type { Member } from "./Member.ts"
import type { Run } from "./Run.ts"
import type { Service } from "./Service.ts"
import type { Story } from "./Story.ts"
import type { Team } from "./Team.ts"
import type { Workspace } from "./Workspace.ts"

/** Objects of a workspace, each list oldest first. */
export interface Rows {
  readonly workspaces?: ReadonlyArray<Workspace>
  readonly members?: ReadonlyArray<Member>
  readonly tokens?: ReadonlyArray<ApiToken>
  readonly teams?: ReadonlyArray<Team>
  readonly services?: ReadonlyArray<Service>
  readonly stories?: ReadonlyArray<Story>
  readonly runs?: ReadonlyArray<Run>
  readonly decisions?: ReadonlyArray<Decision>
}

/** What one command changes; a store commits all of it or none, and none without a word in the audit log. */
export interface Change {
  readonly added?: Rows
  readonly changed?: Rows
  readonly audit: Array.NonEmptyReadonlyArray<Fact>
}
