import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import { HashMap } from "effect"

export type Descriptor = CommandDescriptor.Command<unknown>

/** Every command and every verb by its words, such as `team place add`; each command goes before its verbs. */
export type Vocabulary = ReadonlyMap<string, Descriptor>

type Entry = readonly [words: string, Descriptor]

/** The library looks one level deep, so commands within commands are told by `nested`. */
export const make = (commands: ReadonlyArray<Descriptor>, nested: Vocabulary): Vocabulary => {
  const spread = ([words, descriptor]: Entry): ReadonlyArray<Entry> => {
    const [own] = CommandDescriptor.getNames(descriptor)
    const verbs = [...HashMap.entries(CommandDescriptor.getSubcommands(descriptor))]
      .filter(([verb]) => verb !== own)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
    return [
      [words, descriptor],
      ...verbs.flatMap(([verb, of]) => {
        const inner = `${words} ${verb}`
        return spread([inner, nested.get(inner) ?? of])
      })
    ]
  }
  return new Map(
    commands.flatMap((descriptor) =>
      [...CommandDescriptor.getNames(descriptor)].flatMap((name) => spread([name, descriptor]))
    )
  )
}

/** The words that may come next; at the beginning, the commands. */
export const next = (vocabulary: Vocabulary, words: string): ReadonlyArray<string> => {
  const start = words === "" ? "" : `${words} `
  return [...vocabulary.keys()].flatMap((known) => {
    const rest = known.startsWith(start) ? known.slice(start.length) : ""
    return rest === "" || rest.includes(" ") ? [] : [rest]
  })
}

/** What can be typed in full: a verb of a command, or a command without verbs. */
export const verbs = (vocabulary: Vocabulary, command: string): ReadonlyArray<Entry> =>
  [...vocabulary].filter(
    ([words]) => (words === command || words.startsWith(`${command} `)) && next(vocabulary, words).length === 0
  )

/** As many of the first words as are known. */
export const known = (vocabulary: Vocabulary, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = words.findIndex((_, index) => !vocabulary.has(words.slice(0, index + 1).join(" ")))
  return end === -1 ? words : words.slice(0, end)
}
