import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Usage from "@effect/cli/Usage"
import { HashMap, Option } from "effect"
import { stripVTControlCharacters } from "node:util"

type Descriptor = CommandDescriptor.Command<unknown>

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

/** What a verb takes. The library tells of each its type first, then what we say of it. */
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

const verbsOf = (descriptor: Descriptor, command: string) => {
  const verbs = [...HashMap.entries(CommandDescriptor.getSubcommands(descriptor))]
  return verbs.filter(([name]) => name !== command).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const ofVerb = (name: string, descriptor: Descriptor): string => {
  const all = settings(descriptor)
  const list = (title: string, some: ReadonlyArray<Setting>) =>
    some.length === 0 ? [] : ["", title, ...columns(some.map(({ description, name }) => [name, description] as const))]
  const [must, may] = [all.filter(({ isNeeded }) => isNeeded), all.filter(({ isNeeded }) => !isNeeded)]
  const [files, rest] = [must.filter(isArgument), must.filter((setting) => !isArgument(setting))]
  return [
    `${describe(descriptor)}.`,
    "",
    `  gatehouse ${[name, ...rest.map((setting) => setting.name), "[options]", ...files.map(({ name }) => name)].join(" ")}`,
    ...list("It needs:", must),
    ...list("Options:", may)
  ].join("\n")
}

/** Each verb of some commands on a line; blank lines part the commands. */
const ofCommands = (about: string, commands: ReadonlyArray<readonly [string, Descriptor]>): string => {
  const blocks = commands.map(([command, descriptor]) => {
    const verbs = verbsOf(descriptor, command)
    return verbs.length === 0
      ? [[command, describe(descriptor)] as const]
      : verbs.map(([verb, of]) => [`${command} ${verb}`, describe(of)] as const)
  })
  const lines = columns(blocks.flat())
  let at = 0
  const body = blocks.map((block) => lines.slice(at, (at += block.length)).join("\n"))
  return [`${about}.`, "", body.join("\n\n"), "", "Add --help to any of them to see what it takes."].join("\n")
}

const more = `
--version prints the version, --completions bash|fish|zsh|sh a script that completes commands in your shell.`

export const isWanted = (words: ReadonlyArray<string>): boolean => words.includes("--help") || words.includes("-h")

/** The help that a command line asks for, if it does; a command without its verb does too. */
export const asked = (
  commands: ReadonlyMap<string, Descriptor>,
  about: string,
  words: ReadonlyArray<string>
): Option.Option<string> => {
  const [first = "", second = "-"] = words
  const descriptor = commands.get(first)
  const isAsked = isWanted(words)
  if (isAsked && first.startsWith("-")) return Option.some(`${ofCommands(about, [...commands])}${more}`)
  if (descriptor === undefined || !(isAsked || words.length === 1)) return Option.none()
  const verbs = new Map(verbsOf(descriptor, first))
  if (verbs.size === 0) return isAsked ? Option.some(ofVerb(first, descriptor)) : Option.none()
  if (second.startsWith("-")) return Option.some(ofCommands(describe(descriptor), [[first, descriptor]]))
  return Option.map(Option.fromNullable(verbs.get(second)), (verb) => ofVerb(`${first} ${second}`, verb))
}
