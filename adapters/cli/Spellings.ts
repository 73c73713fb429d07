import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import { HashMap } from "effect"

export type Descriptor = CommandDescriptor.Command<unknown>

/** Every command and verb by its words, such as `team place add`; each command precedes its verbs. */
export type Vocabulary = ReadonlyMap<string, Descriptor>

type Entry = readonly [words: string, Descriptor]

/** The library reads one level, so `nested` holds the commands within commands. */
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

/** The possible next words; at the beginning, the commands. */
export const next = (vocabulary: Vocabulary, words: string): ReadonlyArray<string> => {
  const start = words === "" ? "" : `${words} `
  return [...vocabulary.keys()].flatMap((known) => {
    const rest = known.startsWith(start) ? known.slice(start.length) : ""
    return rest === "" || rest.includes(" ") ? [] : [rest]
  })
}

/** Complete command lines: a verb of a command, or a command without verbs. */
export const verbs = (vocabulary: Vocabulary, command: string): ReadonlyArray<Entry> =>
  [...vocabulary].filter(
    ([words]) => (words === command || words.startsWith(`${command} `)) && next(vocabulary, words).length === 0
  )

/** The longest known prefix of the words. */
export const known = (vocabulary: Vocabulary, words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = words.findIndex((_, index) => !vocabulary.has(words.slice(0, index + 1).join(" ")))
  return end === -1 ? words : words.slice(0, end)
}
