import { Effect, Redacted } from "effect"
import { TokenStore } from "../../../application/ports/TokenStore.ts"
import * as Runners from "../../../application/runner/Runners.ts"
import type { Introduction } from "../../../domain/runner/ChangeRunner.ts"
import { hashOf } from "../../../domain/workspace/ApiToken.ts"
import type { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { introduction } from "../../application/forge.ts"
import * as People from "../../support/People.ts"
import * as Seed from "../../support/Seed.ts"

/** Registers a runner, and returns its id. */
export const registered = (slug: WorkspaceSlug, name = introduction.name, more: Partial<Introduction> = {}) =>
  Effect.gen(function* () {
    const { value } = yield* Seed.token(slug)
    const { token } = yield* (yield* TokenStore).identify(yield* hashOf(Redacted.make(value)))
    const { id } = yield* Runners.hello({ ...(yield* People.person(slug)), token }, { ...introduction, ...more, name })
    return id as string
  })
