import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"

/** How many letters to add, drop or change until one word is the other. */
const distance = (from: string, to: string): number => {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...from].entries()) {
    let left = row + 1
    above = above.map((up, column) => {
      if (column === 0) return left
      const diagonal = (above[column - 1] ?? 0) + (to[column - 1] === letter ? 0 : 1)
      return (left = Math.min(left + 1, up + 1, diagonal))
    })
  }
  return above.at(-1) ?? 0
}

const usage = (text: string) => ValidationError.commandMismatch(HelpDoc.p(text))

/** Commands by name, each with the verbs it takes. */
export type Vocabulary = ReadonlyMap<string, ReadonlyArray<string>>

/** Says which word is no command, which was probably meant, and which ones there are. */
export const misspelt = (vocabulary: Vocabulary, [command = "", verb = ""]: ReadonlyArray<string>) => {
  const verbs = vocabulary.get(command)
  const known = verbs ?? [...vocabulary.keys()]
  const [before, word, choice] =
    verbs === undefined ? ["", command, "Commands are"] : [`${command} `, verb, `'${command}' takes`]
  const choices = `${choice}: ${known.join(", ")}.`
  if (word === "" || word.startsWith("-")) return usage(`A command is missing. ${choices}`)
  const near = known.find((name) => distance(word, name) <= 2)
  const hint = near === undefined ? "" : ` Did you mean '${before}${near}'?`
  return usage(`There is no command '${before}${word}'.${hint} ${choices}`)
}
