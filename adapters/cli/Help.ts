import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Usage from "@effect/cli/Usage"
import { Option } from "effect"
import { stripVTControlCharacters } from "node:util"
import { exampleOf } from "./CommandExamples.ts"
import { runnerHelp } from "./RunnerHelp.ts"
import { program } from "./Wording.ts"
import { type Descriptor, known, next, verbs, type Vocabulary } from "./Spellings.ts"

const config = CliConfig.make({ showBuiltIns: false })

const plain = (doc: HelpDoc.HelpDoc): string => stripVTControlCharacters(HelpDoc.toAnsiText(doc)).trim()

const parts = (doc: HelpDoc.HelpDoc): ReadonlyArray<HelpDoc.HelpDoc> =>
  doc._tag === "Sequence" ? [...parts(doc.left), ...parts(doc.right)] : [doc]

const describe = (descriptor: Descriptor): string => {
  const said = parts(CommandDescriptor.getHelp(descriptor, config)).find(({ _tag }) => _tag === "Paragraph")
  return said === undefined ? "" : plain(said)
}

interface Setting {
  readonly name: string
  readonly description: string
  readonly isNeeded: boolean
}

const needed = (usage: Usage.Usage): ReadonlyArray<string> =>
  usage._tag === "Concat" ? [...needed(usage.left), ...needed(usage.right)] : usage._tag === "Named" ? usage.names : []

/** Options and arguments of a command. The library prints the type of each before our description. */
const settings = (descriptor: Descriptor): ReadonlyArray<Setting> => {
  const names = needed(CommandDescriptor.getUsage(descriptor))
  return parts(CommandDescriptor.getHelp(descriptor, config)).flatMap((part) =>
    part._tag === "DescriptionList"
      ? part.definitions.map(([span, doc]) => {
          const name = plain(HelpDoc.p(span))
          const [, description] = parts(doc).map(plain)
          return { name, description: description ?? "", isNeeded: names.includes(name.split(" ")[0] ?? "") }
        })
      : []
  )
}

/** Options of a command with the placeholder of their value, as `--team SLUG`; a switch has none. */
export const optionsOf = (descriptor: Descriptor): ReadonlyArray<string> =>
  settings(descriptor).flatMap((setting) => (isArgument(setting) ? [] : [setting.name]))

/** Arguments come after every option. */
const isArgument = ({ name }: Setting) => !name.startsWith("-")

const widest = 36

const columns = (rows: ReadonlyArray<readonly [name: string, description: string]>): ReadonlyArray<string> => {
  const width = Math.max(...rows.map(([name]) => (name.length > widest ? 0 : name.length)))
  return rows.map(([name, description]) =>
    name.length > width
      ? `  ${name}\n  ${" ".repeat(width)}  ${description}`
      : `  ${name.padEnd(width)}  ${description}`
  )
}

const ofVerb = (name: string, descriptor: Descriptor, added: string): string => {
  const all = settings(descriptor)
  const list = (title: string, some: ReadonlyArray<Setting>) =>
    some.length === 0 ? [] : ["", title, ...columns(some.map(({ description, name }) => [name, description] as const))]
  const [must, may] = [all.filter(({ isNeeded }) => isNeeded), all.filter(({ isNeeded }) => !isNeeded)]
  const [files, rest] = [must.filter(isArgument), must.filter((setting) => !isArgument(setting))]
  return [
    `${describe(descriptor)}.`,
    "",
    `  ${[program, name, ...rest.map((setting) => setting.name), "[options]", ...files.map(({ name }) => name)].join(" ")}`,
    ...list("It needs:", must),
    ...list("Options:", may),
    added,
    "Example:",
    `  ${exampleOf(
      name,
      must.map((setting) => setting.name.split(" ")[0] ?? "")
    )}`
  ].join("\n")
}

/** Lists each verb of some commands on a line; blank lines separate the commands. */
const ofCommands = (about: string, vocabulary: Vocabulary, commands: ReadonlyArray<string>): string => {
  const blocks = commands.map((command) =>
    verbs(vocabulary, command).map(([words, descriptor]) => [words, describe(descriptor)] as const)
  )
  const lines = columns(blocks.flat())
  let at = 0
  const body = blocks.map((block) => lines.slice(at, (at += block.length)).join("\n"))
  return [`${about}.`, "", body.join("\n\n"), "", "Add --help to any of them to see what it takes."].join("\n")
}

const more = `
Call them as: ${program} team list --workspace acme --as you@acme.test
--version prints the version, --completions bash|fish|zsh|sh a script that completes commands in your shell.`

/** Settings of the proxy, for its help. */
const mcpHelp = `
Its environment:
  SERVICE_URL      Address of the service, such as https://gatehouse.example.com
  SERVICE_API_KEY  API token of the workspace, tk_…; the agent acts with the rights of its owner

The proxy needs no database, logs to standard error, and ends with its input, after the last answer.
docs/mcp.md describes the tools, access and each client.`

export const isWanted = (words: ReadonlyArray<string>): boolean => words.includes("--help") || words.includes("-h")

/** The help that a command line requests, if any; a command without its verb requests it too. */
export const asked = (vocabulary: Vocabulary, about: string, words: ReadonlyArray<string>): Option.Option<string> => {
  const isAsked = isWanted(words)
  const first = words.findIndex((word) => word.startsWith("-"))
  const plainWords = first === -1 ? words : words.slice(0, first)
  if (isAsked && plainWords.length === 0)
    return Option.some(`${ofCommands(about, vocabulary, next(vocabulary, ""))}${more}`)
  const understood = known(vocabulary, plainWords)
  const name = understood.join(" ")
  const descriptor = vocabulary.get(name)
  if (descriptor === undefined) return Option.none()
  const added = name === "runner" ? runnerHelp : ""
  if (next(vocabulary, name).length === 0)
    return isAsked ? Option.some(ofVerb(name, descriptor, name === "mcp" ? `${mcpHelp}\n` : "")) : Option.none()
  const isWhole = understood.length === (isAsked ? plainWords : words).length
  return isWhole ? Option.some(`${ofCommands(describe(descriptor), vocabulary, [name])}${added}`) : Option.none()
}
