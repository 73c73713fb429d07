import { type Array, Either } from "effect"
import type { Alert } from "./oncall/Alert.ts"
import type { ApiToken } from "./workspace/ApiToken.ts"
import type { Fact } from "./workspace/Audit.ts"
import type { Binding } from "./tracker/Binding.ts"
import type { Connection } from "./connection/Connection.ts"
import type { Decision } from "./work/Decision.ts"
import type { Incident } from "./oncall/Incident.ts"
import type { Job } from "./work/Job.ts"
import type { IdempotencyRecord } from "./workspace/IdempotencyRecord.ts"
import type { Member } from "./workspace/Member.ts"
import type { Notification } from "./oncall/InboxEntry.ts"
import type { Place } from "./oncall/Place.ts"
import type { PullRequestRecord } from "./codehost/PullRequestRecord.ts"
import type { Run } from "./work/Run.ts"
import type { Runner } from "./runner/Runner.ts"
import type { Service } from "./oncall/Service.ts"
import type { SignalSource } from "./oncall/SignalSource.ts"
import type { Story } from "./work/Story.ts"
import type { Team } from "./workspace/Team.ts"
import type { Workspace } from "./workspace/Workspace.ts"

/** Objects of a workspace, each list oldest first. */
export interface Rows {
  readonly workspaces?: ReadonlyArray<Workspace>
  readonly members?: ReadonlyArray<Member>
  readonly tokens?: ReadonlyArray<ApiToken>
  readonly teams?: ReadonlyArray<Team>
  readonly services?: ReadonlyArray<Service>
  readonly places?: ReadonlyArray<Place>
  readonly sources?: ReadonlyArray<SignalSource>
  readonly incidents?: ReadonlyArray<Incident>
  readonly alerts?: ReadonlyArray<Alert>
  readonly stories?: ReadonlyArray<Story>
  readonly runs?: ReadonlyArray<Run>
  readonly runners?: ReadonlyArray<Runner>
  readonly decisions?: ReadonlyArray<Decision>
  readonly connections?: ReadonlyArray<Connection>
  readonly bindings?: ReadonlyArray<Binding>
  readonly pullRequests?: ReadonlyArray<PullRequestRecord>
  readonly jobs?: ReadonlyArray<Job>
  readonly notifications?: ReadonlyArray<Notification>
  readonly keptAnswers?: ReadonlyArray<IdempotencyRecord>
}

/** Rows and audit facts of one command. A store commits all of them or none; every change has an audit entry. */
export interface Change {
  readonly added?: Rows
  readonly changed?: Rows
  /** Members who leave the workspace: what they signed in with for it ends, and all of it if it was their only one. */
  readonly leaving?: ReadonlyArray<Member>
  readonly audit: Array.NonEmptyReadonlyArray<Fact>
}

/** A change with the command's result. A refusal that is recorded in the audit log is a result too. */
export interface Decided<A, E = never> {
  readonly change: Change
  readonly answer: Either.Either<A, E>
}

export const answered = <A>(change: Change, answer: A): Either.Either<Decided<A>> =>
  Either.right({ change, answer: Either.right(answer) })

/** Refuses the command but commits the change. */
export const refused = <E>(change: Change, error: E): Either.Either<Decided<never, E>> =>
  Either.right({ change, answer: Either.left(error) })
