import { Schema } from "effect"
import { cut, oneLine, printable } from "../../../domain/value/Text.ts"
import type { Refusal, Visit, Way } from "./Page.ts"

/** A value in the address of a page that leads nowhere, and the way out. */
export class WrongAddress extends Schema.TaggedError<WrongAddress>()("WrongAddress", {
  problem: Schema.String,
  way: Schema.Struct({ href: Schema.String, text: Schema.String })
}) {
  override get message() {
    return this.problem
  }
}

/** A value of an address as pages show it. */
export const quoted = (value: string): string => `‘${cut(oneLine(printable(value)), 40)}’`

/** The way out of an error: its own, or the first page of a list whose cursor leads nowhere. */
export const wayOut = ({ query }: Visit, path: string, error: Refusal): Pick<Refusal, "message"> & { way?: Way } => {
  if (error instanceof WrongAddress) return { message: error.message, way: error.way }
  if (error._tag !== "InvalidCursor") return { message: error.message }
  const rest = new URLSearchParams([...query].filter(([name]) => name !== "cursor"))
  const href = rest.size === 0 ? path : `${path}?${rest.toString()}`
  return {
    message: `This list has no page ${quoted(query.get("cursor") ?? "")}, which the address names as cursor: the address was changed, or belongs to another list or other filters.`,
    way: { href, text: "Go to the first page of the list" }
  }
}
