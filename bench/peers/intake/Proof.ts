// @effect-diagnostics globalDate:off
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { Refusal } from "../Refusal.ts"

const refuse = (problem: string) =>
  new Refusal(401, "invalid_proof", `This delivery is not proven to come from the source: ${problem}.`)

const replayWindowSeconds = 300

const signs = (secret: string, signature: string, prefix: string, body: Buffer) =>
  timingSafeEqual(Buffer.from(signature, "hex"), createHmac("sha256", secret).update(prefix).update(body).digest())

/** Checks the signature of a post; a dated post has a name that identifies a repetition. */
export const prove = (
  headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>,
  body: Buffer,
  { isTimestampRequired, secret }: { readonly isTimestampRequired: boolean; readonly secret: string }
): { readonly name: string | null } => {
  const [given, dated] = [headers["x-service-signature"], headers["x-service-timestamp"]]
  if (given === undefined) throw refuse("it needs the header X-Service-Signature")
  const signature = /^sha256=([0-9a-f]{64})$/i.exec(String(given).trim())?.[1]
  if (signature === undefined) throw refuse("X-Service-Signature is not 'sha256=<hex>'")
  if (dated === undefined) {
    if (isTimestampRequired) throw refuse("this source takes only deliveries with X-Service-Timestamp")
    if (!signs(secret, signature, "", body)) throw refuse("X-Service-Signature does not sign the body")
    return { name: null }
  }
  const seconds = String(dated).trim()
  if (!/^\d{1,12}$/.test(seconds)) throw refuse("X-Service-Timestamp must be unix seconds")
  if (Math.abs(Date.now() / 1000 - Number(seconds)) > replayWindowSeconds)
    throw new Refusal(401, "timestamp_out_of_window", "X-Service-Timestamp is more than 300 s off.")
  if (!signs(secret, signature, `${seconds}.`, body)) throw refuse("X-Service-Signature does not sign the body")
  return { name: createHash("sha256").update(`${seconds} ${signature.toLowerCase()}`).digest("hex") }
}
