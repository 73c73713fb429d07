import { Effect, Redacted } from "effect"
import { sourceNamed } from "../../domain/oncall/commands/ChangeSource.ts"
import { SourceCannotBeTested, SourceTakesNoPosts } from "../../domain/oncall/commands/SourceErrors.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { ofSource } from "../../domain/value/SecretBinding.ts"
import { isPosting, toolNames } from "../../domain/oncall/SignalSource.ts"
import type { Signal } from "../../domain/oncall/Signal.ts"
import { AlertTools, type Post } from "../ports/AlertTools.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { Sealing } from "../secrets/Sealing.ts"
import { permit, type Person } from "../workspace/Authorization.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

/** A proven post with this header and the id of a test is a test: its alerts are recorded and open nothing. */
const testHeader = "x-service-test"

/** The id of the test that a post belongs to, if any. */
export const testOf = ({ headers }: Post): string | null =>
  /^[0-9a-f-]{36}$/.exec(headers[testHeader] ?? "")?.[0] ?? null

/** The alerts of a test have fingerprints of their own, so that they neither repeat nor recover any others. */
export const asTest =
  (test: string) =>
  (signal: Signal): Signal => ({ ...signal, fingerprint: `test ${test} ${signal.fingerprint}`, isTest: true })

/** A post as the tool sends it, with the source's own proof. */
export interface TestPost {
  readonly status: Signal["status"]
  /** The part of the address after the service's own. */
  readonly path: Redacted.Redacted
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Makes the tool's firing alert and its recovery, signed with the source's newest secret. */
export const prepare = Effect.fn("TestSource.prepare")(function* (person: Person, name: string) {
  yield* permit(person, "source test", DeniedTarget.ofSource(person, name))
  const { now, sources } = yield* (yield* OnCallStore).look(person.workspace)
  const source = yield* sourceNamed(sources, name)
  const { kind } = source
  if (!isPosting(kind)) return yield* new SourceTakesNoPosts({ source: source.name })
  const refuse = (problem: string) => new SourceCannotBeTested({ source: source.name, problem })
  const { samples, sign } = (yield* AlertTools)[kind]
  if (sign === null) return yield* refuse(`${toolNames[kind]} alone can sign its posts; have it send a test itself`)
  const [{ sealed }] = source.secrets
  const secret = yield* Effect.mapError((yield* Sealing).open(sealed, ofSource(source.id)), () =>
    refuse("its secret was sealed with another SECRET_KEY")
  )
  const seconds = Math.floor(now.epochMillis / 1000)
  const test = yield* Uuid.make
  const posts = yield* Effect.forEach(["firing", "resolved"] as const, (status) =>
    Effect.gen(function* () {
      const body = JSON.stringify(samples[status].body)
      const proof = yield* sign({ secret, body, seconds })
      const query = proof.key === null ? "" : `?key=${encodeURIComponent(Redacted.value(proof.key))}`
      const headers = { "content-type": "application/json", ...samples[status].headers, ...proof.headers }
      const path = Redacted.make(`${source.token}${query}`)
      return { status, path, headers: { ...headers, [testHeader]: test }, body } satisfies TestPost
    })
  )
  return { source, posts }
})
