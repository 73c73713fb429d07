import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer, Redacted } from "effect"
import { createHmac } from "node:crypto"
import { tools } from "../../adapters/alerting/Tools.ts"
import type { Expected, Post, Translator } from "../../application/ports/AlertTools.ts"
import { CloudPages, PageUnreachable } from "../../application/ports/CloudPages.ts"
import { Signature } from "../../domain/value/Signature.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"
import * as Fixtures from "./Fixtures.ts"

/** A post with its secret, and the time it is verified. */
export interface Attempt {
  readonly kind: PostingKind
  readonly headers: Readonly<Record<string, string>>
  readonly key?: string
  readonly body: Uint8Array
  readonly secrets: ReadonlyArray<string>
  readonly at: number
  readonly isTimestampRequired?: boolean
}

/** The tools whose posts a proof of `Proofs.ts` accepts. */
export const provenBy = (proof: Translator["proof"]): ReadonlyArray<PostingKind> =>
  PostingKind.literals.filter((kind) => tools[kind].proof === proof)

const offline = Layer.succeed(CloudPages, {
  get: () => new PageUnreachable({ host: "sns.us-east-1.amazonaws.com", problem: "there is no network here" })
})

export const prove = (attempt: Attempt) => {
  const post: Post = {
    headers: Object.fromEntries(Object.entries(attempt.headers).map(([name, value]) => [name.toLowerCase(), value])),
    key: attempt.key === undefined ? null : Redacted.make(attempt.key),
    body: attempt.body
  }
  const expected: Expected = {
    secrets: attempt.secrets.map((secret) => Redacted.make(secret)),
    isTimestampRequired: attempt.isTimestampRequired ?? false,
    topic: null,
    now: DateTime.unsafeMake(attempt.at * 1000)
  }
  return Effect.provide(tools[attempt.kind].proof(post, expected), Layer.merge(Signature.Default, offline))
}

/** The refusal of an attempt that must fail; it may not contain the secret. */
export const refusal = (attempt: Attempt) =>
  Effect.map(Effect.flip(prove(attempt)), (error) => {
    for (const secret of attempt.secrets) assert.notInclude(error.message, secret)
    return error
  })

export const assertRefused = (attempt: Attempt, ...tags: ReadonlyArray<string>) =>
  Effect.map(refusal(attempt), ({ _tag }) => assert.include(tags.length === 0 ? ["InvalidProof"] : tags, _tag))

export const isTimestamp = (header: string): boolean => /^x-(service|grafana-alerting)-timestamp$/i.test(header)
export const isSignature = (header: string): boolean => /-signature$/i.test(header)

/** The published vectors, each verified in the second it was signed. */
export const vectors: ReadonlyArray<Attempt & { readonly name: string; readonly isDated: boolean }> =
  Fixtures.vectors.vectors.map(({ file, headers }) => {
    const [, folder = "", fixture = ""] = /^([a-z]+)-(.+)$/.exec(file) ?? []
    const isGeneric = Object.keys(headers).includes("X-Service-Signature")
    const kind = PostingKind.literals.find((one) => one === (isGeneric ? "generic" : folder)) ?? "generic"
    const dated = Object.entries(headers).find(([name]) => isTimestamp(name))
    return {
      name: `${kind} over ${file}${dated === undefined ? "" : ", dated"}`,
      kind,
      headers,
      body: Fixtures.bytes(`${folder}/${fixture}`),
      secrets: [Fixtures.vectors.secrets[kind] ?? ""],
      at: Number(dated?.[1] ?? 1_794_647_550),
      isDated: dated !== undefined
    }
  })

export const hmac = (secret: string, body: Uint8Array): string =>
  createHmac("sha256", secret).update(body).digest("hex")

/** Flips one bit of one character; a hex digit becomes another digit. */
export const flipped = (text: string, index: number): string => {
  const digit = text[index] ?? ""
  const other = /[0-9a-f]/i.test(digit)
    ? (Number.parseInt(digit, 16) ^ 1).toString(16)
    : String.fromCodePoint((digit.codePointAt(0) ?? 0) ^ 1)
  return text.slice(0, index) + other + text.slice(index + 1)
}
