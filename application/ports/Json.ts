import { Schema } from "effect"

declare const of: unique symbol

/** JSON text of an A, ready to send: storage builds it, and callers that need the object decode it. */
export type Json<A> = string & { readonly [of]: A }

/** Trusts storage that `text` is JSON of an A; the contract suites verify it. */
export const trust = <A>(text: string): Json<A> => text as Json<A>

/** Joins the texts of items into the text of one array. */
export const array = <A>(items: ReadonlyArray<Json<A>>): Json<ReadonlyArray<A>> => trust(`[${items.join(",")}]`)

/** Splits the text of an array into the texts of its items. */
export const each = <A>(json: Json<ReadonlyArray<A>>): ReadonlyArray<Json<A>> =>
  (JSON.parse(json) as ReadonlyArray<unknown>).map((item) => trust<A>(JSON.stringify(item)))

export const encoder = <A, I>(schema: Schema.Schema<A, I>): ((value: A) => Json<A>) => {
  const encode = Schema.encodeSync(schema)
  return (value) => trust(JSON.stringify(encode(value)))
}

export const decoder = <A, I>(schema: Schema.Schema<A, I>): ((json: Json<A>) => A) =>
  Schema.decodeUnknownSync(Schema.parseJson(schema))
