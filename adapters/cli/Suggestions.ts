import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import { cut } from "../../domain/value/Text.ts"
import { known, next, type Vocabulary } from "./Spellings.ts"

/** Number of letters to add, drop or change to turn one word into the other. */
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

/** Names the unknown word, the likely one, and the possible ones. */
export const misspelt = (vocabulary: Vocabulary, words: ReadonlyArray<string>) => {
  const before = known(vocabulary, words).join(" ")
  const choices = next(vocabulary, before)
  const word = words[before === "" ? 0 : before.split(" ").length] ?? ""
  const full = (last: string) => (before === "" ? last : `${before} ${last}`)
  const told = `${before === "" ? "Commands are" : `'${before}' takes`}: ${choices.join(", ")}.`
  if (word === "" || word.startsWith("-")) return usage(`A command is missing. ${told}`)
  const near = choices.find((name) => Math.abs(word.length - name.length) <= 2 && distance(word, name) <= 2)
  const hint = near === undefined ? "" : ` Did you mean '${full(near)}'?`
  return usage(`There is no command '${full(cut(word, 200))}'.${hint} ${told}`)
}
