import { Effect, Either, ParseResult, Schema } from "effect"
import { Line, Text } from "../../../domain/value/Text.ts"
import { fileAt, textAt } from "../git/History.ts"
import type { Mirror } from "../git/Mirror.ts"

export const gatesFile = ".kanman/gates.json"

const Command = Schema.NonEmptyArray(Text)

/** `.kanman/gates.json`: the gates of a repository. */
export const GatesFile = Schema.Struct({
  gates: Schema.optionalWith(
    Schema.Array(
      Schema.Struct({
        name: Line(200),
        command: Command,
        timeoutSeconds: Schema.optional(Schema.Int.pipe(Schema.between(1, 86_400)))
      })
    ).pipe(Schema.maxItems(50)),
    { default: () => [] }
  ),
  acceptance: Schema.optional(Schema.Struct({ command: Command })),
  demonstrate: Schema.optional(Schema.Struct({ command: Command }))
})

export interface Gate {
  readonly name: string
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly timeoutSeconds?: number | undefined
  readonly input?: string
}

type Argv = readonly [string, ...ReadonlyArray<string>]

export interface Gates {
  readonly gates: ReadonlyArray<Gate>
  readonly acceptance: Argv | null
  readonly demonstrate: Argv | null
  /** Where they come from, for people. */
  readonly remark: string
}

export class GatesUnreadable extends Schema.TaggedError<GatesUnreadable>()("GatesUnreadable", {
  problem: Schema.String
}) {
  override get message() {
    return `${gatesFile} at the base commit cannot be read: ${this.problem}`
  }
}

const decode = Schema.decodeUnknown(Schema.parseJson(GatesFile), { onExcessProperty: "error", errors: "all" })

/** Each problem with its path in the file, such as `gates[0].comand is unexpected`. */
const problemOf = (error: ParseResult.ParseError): string =>
  ParseResult.ArrayFormatter.formatErrorSync(error)
    .map(({ message, path }) => {
      const at = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("")
      return at === "" ? message : `${at.replace(/^\./, "")}: ${message}`
    })
    .join("; ")

export const parse = (text: string) =>
  Effect.mapBoth(decode(text), {
    onFailure: (error) => new GatesUnreadable({ problem: problemOf(error) }),
    onSuccess: (file): Gates => ({
      gates: file.gates,
      acceptance: file.acceptance?.command ?? null,
      demonstrate: file.demonstrate?.command ?? null,
      remark:
        file.gates.length === 0
          ? `${gatesFile} at the base commit names no gates`
          : `${file.gates.length} of ${gatesFile} at the base commit`
    })
  })

const Manifest = Schema.parseJson(
  Schema.Struct({ scripts: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })) })
)
const decodeManifest = Schema.decodeUnknownOption(Manifest)

/** A script runs as the base commit has it, so that a change of package.json cannot weaken it. */
const ofPackage = (text: string): ReadonlyArray<Gate> => {
  const { scripts = {} } = decodeManifest(text).pipe((found) => (found._tag === "Some" ? found.value : {}))
  return ["check", "lint", "test"].flatMap((name) => {
    const script = Object.hasOwn(scripts, name) ? scripts[name] : undefined
    const isPlaceholder = script?.includes("no test specified") ?? true
    return script === undefined || isPlaceholder
      ? []
      : [{ name, command: ["/bin/sh", "-c", `PATH="$PWD/node_modules/.bin:$PATH"\n${script}`] as const }]
  })
}

const ofMakefile = (text: string): ReadonlyArray<Gate> =>
  /^test\s*:(?!=)/m.test(text) ? [{ name: "make test", command: ["make", "-f", "-", "test"], input: text }] : []

const always =
  (name: string, ...command: Argv) =>
  (): ReadonlyArray<Gate> => [{ name, command }]

const pytest = always("pytest", "python3", "-m", "pytest")

/** Files by which gates are found where a repository names none. */
const finders: ReadonlyArray<readonly [file: string, find: (text: string) => ReadonlyArray<Gate>]> = [
  ["package.json", ofPackage],
  ["Makefile", ofMakefile],
  ["Cargo.toml", always("cargo test", "cargo", "test")],
  ["go.mod", always("go test", "go", "test", "./...")],
  ["pytest.ini", pytest],
  ["pyproject.toml", (text) => (text.includes("[tool.pytest") ? pytest() : [])]
]

/** The gates of a commit: those it names, or those that its files suggest. */
export const at = Effect.fn("Gates.at")(function* (mirror: Mirror, commit: string) {
  const named = yield* fileAt(mirror, commit, gatesFile)
  if (named !== null)
    return yield* Either.isLeft(named) ? new GatesUnreadable({ problem: named.left }) : parse(named.right)
  const gates: Array<Gate> = []
  for (const [file, find] of finders) {
    const text = yield* textAt(mirror, commit, file)
    if (text !== null)
      for (const gate of find(text)) if (!gates.some(({ name }) => name === gate.name)) gates.push(gate)
  }
  const remark =
    gates.length === 0
      ? `The base commit has no ${gatesFile} and nothing that looks like tests: no gate verifies this change`
      : `Found at the base commit, which has no ${gatesFile}: ${gates.map(({ name }) => name).join(", ")}`
  return { gates, acceptance: null, demonstrate: null, remark } satisfies Gates
})
