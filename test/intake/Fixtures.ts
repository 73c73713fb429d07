import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { Severity } from "../../domain/value/Severity.ts"
import type { Signal } from "../../domain/oncall/Signal.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"

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

const notes = new Set(["expected.json", "severities.json", "docs.json"])

/** The bodies in a tool's folder. */
export const names = (kind: PostingKind): ReadonlyArray<string> =>
  readdirSync(new URL(kind, folder)).flatMap((file) =>
    file.endsWith(".json") && !notes.has(file) ? [file.slice(0, -".json".length)] : []
  )

/** The tools with a body of that name. */
export const having = (name: string): ReadonlyArray<PostingKind> =>
  PostingKind.literals.filter((kind) => names(kind).includes(name))

export const expectations = (kind: PostingKind): Readonly<Record<string, Expectation>> => parse(`${kind}/expected`)

export type SeverityWords = Partial<Record<Severity, ReadonlyArray<unknown>>>

interface SeverityPlace {
  readonly fixture: string
  readonly path: string
  /** The words that all tools share, if it has none of its own. */
  readonly words?: SeverityWords
}

export const severities = (kind: PostingKind): ReadonlyArray<SeverityPlace> =>
  existsSync(new URL(`${kind}/severities.json`, folder)) ? parse(`${kind}/severities`) : []

/** A tool's cells in the tables of docs/alerts.md. */
interface Docs {
  readonly tool: string
  readonly proof: string
  readonly retries: string
  readonly notes: string
  readonly service: string
  readonly environment: string
  /** Its own words, by what they mean. */
  readonly severities?: Partial<Record<Severity, string>>
}

export const docs = (kind: PostingKind): Docs => parse(`${kind}/docs`)

interface Vector {
  readonly file: string
  readonly headers: Readonly<Record<string, string>>
}

export const vectors: { readonly secrets: Readonly<Record<string, string>>; readonly vectors: ReadonlyArray<Vector> } =
  parse("signature-vectors")
