import { Schema } from "effect"
import { secretNames } from "./Delivery.ts"
import { cut, oneLine } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

/** Number of refusals kept for a source, and bytes of each body. */
export const keptRefusals = 50
const excerptBytes = 2048

/** Owner and admins receive at most one notice of a source within this time. */
export const noticeMinutes = 60

/** A refused post to a source, as the source's ledger shows it. */
export const RefusedDelivery = Schema.Struct({
  receivedAt: Timestamp,
  status: Schema.Int,
  code: Schema.String,
  message: Schema.String,
  /** The first 2 KB without secrets; null when nothing was read. */
  body: Schema.NullOr(Schema.String)
})
export type RefusedDelivery = typeof RefusedDelivery.Type

export type Refusal = Omit<RefusedDelivery, "receivedAt">

/** End of the value that begins at an index; an object, a list or an open string ends with the text. */
const endOf = (text: string, start: number, quote: string): number => {
  if (quote === "") {
    const found = /[\s,}\]&;]/.exec(text.slice(start))
    return found === null || /[[{]/.test(text.charAt(start)) ? text.length : start + found.index
  }
  let end = text.indexOf(quote, start)
  while (end !== -1 && text.charAt(end - 1) === "\\") end = text.indexOf(quote, end + 1)
  return end === -1 ? text.length : end
}

/** A field's name and the separator before its value: in JSON, in JSON within a string, in a form and in a header. */
const field = /(\\*["']?)([\w.-]{1,100})\1\s{0,20}[:=]\s{0,20}(?:(?:Bearer|Basic)\s{1,20})?(\\*["']?)/gi

/** Removes the values of fields that are named like secrets from text that may be truncated. */
const withoutSecrets = (text: string): string => {
  let [clean, at] = ["", 0]
  for (const found of text.matchAll(field)) {
    const [whole, , name = "", quote = ""] = found
    if (found.index < at || !secretNames.test(name)) continue
    const start = found.index + whole.length
    clean += `${text.slice(at, start)}<redacted>`
    at = endOf(text, start, quote)
  }
  return clean + text.slice(at)
}

const decoder = new TextDecoder()

/** The kept part of a body, as text that Postgres can store. */
export const excerptOf = (body: Uint8Array): string =>
  withoutSecrets(decoder.decode(body.subarray(0, excerptBytes)).replaceAll("\0", "\u{FFFD}"))

/** Notice for owner and admins, since many tools drop a refused delivery. */
export const noticeOf = (source: string, { code, message, status }: Refusal) => ({
  subject: `A delivery of the signal source ${cut(oneLine(source), 100)} was refused: ${status} ${code}`,
  text: [
    `${message}`,
    `Many alerting tools do not send a refused alert again, so alerts of ${source} may be missing.`,
    `'gatehouse delivery list --source ${source} --refused' shows the last ${keptRefusals} refusals. The next notice comes after ${noticeMinutes} minutes at the earliest.`
  ].join("\n\n")
})
