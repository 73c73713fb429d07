import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import { stripVTControlCharacters } from "node:util"
import { cut } from "../../domain/value/Text.ts"
import { optionsOf } from "./Help.ts"
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

const isNear = (word: string, name: string) => Math.abs(word.length - name.length) <= 2 && distance(word, name) <= 2

/** Names the first option that the command does not have, the likely one, and those it has; null when there is none. */
export const unknownOption = (vocabulary: Vocabulary, words: ReadonlyArray<string>) => {
  const command = known(vocabulary, words).join(" ")
  const descriptor = vocabulary.get(command)
  if (descriptor === undefined || next(vocabulary, command).length > 0) return null
  const options = optionsOf(descriptor)
  const nameOf = (option: string) => option.split(" ")[0] ?? ""
  const isValue = (index: number) => options.some((option) => option.startsWith(`${words[index - 1]} `))
  const names = options.map(nameOf)
  const given = words.map((word) => word.split("=")[0] ?? "")
  const word = given.find((name, index) => name.startsWith("--") && !names.includes(name) && !isValue(index))
  if (word === undefined || word === "--") return null
  const near = names.find((name) => isNear(word, name))
  const hint = near === undefined ? "" : ` Did you mean '${near}'?`
  return usage(`'${command}' has no option '${cut(word, 200)}'.${hint} It takes: ${names.join(", ")}.`)
}

/** Names an option that the library refuses because it is given twice; null when that is not the reason. */
export const repeatedOption = (error: ValidationError.ValidationError, words: ReadonlyArray<string>) => {
  const text = stripVTControlCharacters(HelpDoc.toAnsiText(error.error))
  const name = /Received unknown argument: '(--[\w-]+)/.exec(text)?.[1]
  const given = words.filter((word) => word.split("=")[0] === name)
  return given.length > 1 ? usage(`'${name}' is given twice. Give it once.`) : null
}

/** Names the unknown word, the likely one, and the possible ones. */
export const misspelt = (vocabulary: Vocabulary, words: ReadonlyArray<string>) => {
  const before = known(vocabulary, words).join(" ")
  const choices = next(vocabulary, before)
  const word = words[before === "" ? 0 : before.split(" ").length] ?? ""
  const full = (last: string) => (before === "" ? last : `${before} ${last}`)
  const told = `${before === "" ? "Commands are" : `'${before}' takes`}: ${choices.join(", ")}.`
  if (word === "" || word.startsWith("-")) return usage(`A command is missing. ${told}`)
  const near = choices.find((name) => isNear(word, name))
  const hint = near === undefined ? "" : ` Did you mean '${full(near)}'?`
  return usage(`There is no command '${full(cut(word, 200))}'.${hint} ${told}`)
}
