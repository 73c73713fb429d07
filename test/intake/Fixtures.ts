import { readdirSync, readFileSync } from "node:fs"
import type { Signal } from "../../domain/oncall/Signal.ts"
import type { PostingKind } from "../../domain/oncall/SignalSource.ts"

/** An entry of a tool's `expected.json` about one of the bodies beside it. */
interface Expectation {
  readonly headers?: Readonly<Record<string, string>>
  readonly signals?: ReadonlyArray<typeof Signal.Encoded>
  readonly rejected?: ReadonlyArray<{ readonly index: number; readonly message: string }>
  readonly ignored?: string
  readonly unreadable?: string
}

const folder = new URL("./fixtures/", import.meta.url)

export const bytes = (path: string): Uint8Array => new Uint8Array(readFileSync(new URL(`${path}.json`, folder)))

const parse = (path: string) => JSON.parse(new TextDecoder().decode(bytes(path)))

export const json = (kind: PostingKind, name: string): unknown => parse(`${kind}/${name}`)

/** The bodies in a tool's folder. */
export const names = (kind: PostingKind): ReadonlyArray<string> =>
  readdirSync(new URL(kind, folder)).flatMap((file) =>
    file.endsWith(".json") && file !== "expected.json" ? [file.slice(0, -".json".length)] : []
  )

export const expectations = (kind: PostingKind): Readonly<Record<string, Expectation>> => parse(`${kind}/expected`)

interface Vector {
  readonly file: string
  readonly headers: Readonly<Record<string, string>>
}

export const vectors: { readonly secrets: Readonly<Record<string, string>>; readonly vectors: ReadonlyArray<Vector> } =
  parse("signature-vectors")
