import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

export const root = resolve(import.meta.dirname, "../..")
export const cache = join(root, "node_modules/.cache/mutate")

interface Position {
  readonly line: number
  readonly column: number
}

/** A mutant as the instrumenter describes it; lines and columns start at 0. */
interface Instrumented {
  readonly id: string
  readonly fileName: string
  readonly mutatorName: string
  readonly replacement: string
  readonly location: { readonly start: Position; readonly end: Position }
}

export interface Mutant {
  readonly id: string
  readonly file: string
  readonly kind: string
  readonly line: number
  readonly column: number
  readonly original: string
  readonly replacement: string
  /** The same as long as the mutant and its file are. */
  readonly key: string
}

/** The domain with every mutant in it; `__stryker__.activeMutant` selects one. */
export interface Domain {
  readonly files: Readonly<Record<string, string>>
  readonly mutants: ReadonlyArray<Mutant>
}

interface Instrumenter {
  readonly instrument: (
    files: ReadonlyArray<{ readonly name: string; readonly mutate: true; readonly content: string }>,
    options: object
  ) => Promise<{
    readonly files: ReadonlyArray<{ readonly name: string; readonly content: string }>
    readonly mutants: ReadonlyArray<Instrumented>
  }>
}

export const hash = (...parts: ReadonlyArray<string>) =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24)

/** TypeScript files below a folder of the checkout, by their paths in it. */
export const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`)
    .toSorted()

export const textOf = (path: string) => readFileSync(join(root, path), "utf8")

const between = (text: string, { end, start }: Instrumented["location"]): string => {
  const lines = text.split("\n").slice(start.line, end.line + 1)
  const last = lines.length - 1
  return lines
    .map((line, index) => line.slice(index === 0 ? start.column : 0, index === last ? end.column : undefined))
    .join("\n")
}

const quiet = { isDebugEnabled: () => false, debug: () => {}, info: () => {}, warn: () => {} }

/** Mutants are counted where a test passes them, but not while one of them is active. */
const counting = "var c = cov.static;"

export const instrument = async (): Promise<Domain> => {
  const path = join(import.meta.dirname, "node_modules/@stryker-mutator/instrumenter/dist/src/index.js")
  const { Instrumenter } = (await import(pathToFileURL(path).href)) as {
    readonly Instrumenter: new (logger: typeof quiet) => Instrumenter
  }
  const texts = new Map(filesOf("domain").map((name) => [name, textOf(name)]))
  const { files, mutants } = await new Instrumenter(quiet).instrument(
    [...texts].map(([name, content]) => ({ name, mutate: true, content })),
    { plugins: null, excludedMutations: [], ignorers: [] }
  )
  return {
    files: Object.fromEntries(
      files.map(({ content, name }) => [name, content.replace(counting, `if (ns.activeMutant) return;\n${counting}`)])
    ),
    mutants: mutants.map(({ fileName, id, location, mutatorName, replacement }) => {
      const text = texts.get(fileName) ?? ""
      return {
        id,
        file: fileName,
        kind: mutatorName,
        line: location.start.line + 1,
        column: location.start.column + 1,
        original: between(text, location),
        replacement,
        key: hash(fileName, text, JSON.stringify(location), mutatorName, replacement)
      }
    })
  }
}
