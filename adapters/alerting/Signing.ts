import { Effect, Encoding, Redacted } from "effect"
import type { Translator } from "../../application/ports/AlertTools.ts"
import { bytesOf, hmac } from "../../domain/value/Hashing.ts"

type Sign = NonNullable<Translator["sign"]>

/** `Authorization: Bearer <secret>`. */
export const bearer: Sign = ({ secret }) =>
  Effect.succeed({ headers: { authorization: `Bearer ${Redacted.value(secret)}` }, key: null })

/** `?key=<secret>` of the address. */
export const key: Sign = ({ secret }) => Effect.succeed({ headers: {}, key: secret })

/** HMAC-SHA256 in hex after a prefix; with a header for the time, `<seconds><separator><body>` is signed. */
export const signed =
  (header: string, prefix: string, timestamp?: { readonly header: string; readonly separator: string }): Sign =>
  ({ body, secret, seconds }) => {
    const text = timestamp === undefined ? body : `${seconds}${timestamp.separator}${body}`
    return Effect.map(hmac(bytesOf(Redacted.value(secret)), bytesOf(text)), (mac) => ({
      headers: {
        [header]: `${prefix}${Encoding.encodeHex(mac)}`,
        ...(timestamp !== undefined && { [timestamp.header]: `${seconds}` })
      },
      key: null
    }))
  }
