import { Effect, Either, Encoding, Redacted } from "effect"
import { sourceNamed } from "../../domain/oncall/commands/ChangeSource.ts"
import { SourceCannotBeTested, SourceTakesNoPosts } from "../../domain/oncall/commands/SourceErrors.ts"
import { bytesOf, hmac, isSame } from "../../domain/value/Hashing.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { ofSource } from "../../domain/value/SecretBinding.ts"
import { isPosting, toolNames } from "../../domain/oncall/SignalSource.ts"
import type { Signal } from "../../domain/oncall/Signal.ts"
import { AlertTools, type Post } from "../ports/AlertTools.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { Sealing } from "../secrets/Sealing.ts"
import { permit, type Person } from "../workspace/Authorization.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

/**
 * A post with this header is a test: its alerts are recorded and open nothing. It holds the id of the test and its
 * signature with the source's secret, so that no header set by mistake or by a proxy silences real alerts.
 */
const testHeader = "x-service-test"

const signatureOf = (test: string, secret: Redacted.Redacted) =>
  hmac(bytesOf(Redacted.value(secret)), bytesOf(`test ${test}`))

/** The id of the test that a post belongs to, if any. */
export const testOf = Effect.fnUntraced(function* ({ headers }: Post, secrets: ReadonlyArray<Redacted.Redacted>) {
  const [, test, signature] = /^([0-9a-f-]{36})\.([0-9a-f]{64})$/.exec(headers[testHeader] ?? "") ?? []
  if (test === undefined || signature === undefined) return null
  const given = Either.getOrElse(Encoding.decodeHex(signature), () => new Uint8Array(0))
  const isSigned = yield* Effect.exists(secrets, (secret) =>
    Effect.map(signatureOf(test, secret), (expected) => isSame(expected, given))
  )
  return isSigned ? test : null
})

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
  const { now, sources } = yield* (yield* OnCallStore).sources(person.workspace)
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
  const mark = `${test}.${Encoding.encodeHex(yield* signatureOf(test, secret))}`
  const posts = yield* Effect.forEach(["firing", "resolved"] as const, (status) =>
    Effect.gen(function* () {
      const body = JSON.stringify(samples[status].body)
      const proof = yield* sign({ secret, body, seconds })
      const query = proof.key === null ? "" : `?key=${encodeURIComponent(Redacted.value(proof.key))}`
      const headers = { "content-type": "application/json", ...samples[status].headers, ...proof.headers }
      const path = Redacted.make(`${source.token}${query}`)
      return { status, path, headers: { ...headers, [testHeader]: mark }, body } satisfies TestPost
    })
  )
  return { source, posts }
})
