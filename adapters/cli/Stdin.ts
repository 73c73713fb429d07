import * as Prompt from "@effect/cli/Prompt"
import type * as Terminal from "@effect/platform/Terminal"
import { Context, Effect, Redacted } from "effect"
import { usage } from "./Options.ts"

/** No secret is longer, so reading stops here. */
const most = 10_000

const piped = Effect.promise(async () => {
  let text = ""
  for await (const part of process.stdin.setEncoding("utf8")) {
    text += String(part)
    if (text.length > most) break
  }
  return text
})

const typed = Effect.map(Prompt.run(Prompt.hidden({ message: "It is read without being shown:" })), Redacted.value)

type Read = Effect.Effect<string, Terminal.QuitException, Prompt.Prompt.Environment>

/** Standard input of a command; a person at a terminal is prompted for it. */
export class Stdin extends Context.Reference<Stdin>()("adapters/cli/Stdin", {
  defaultValue: (): Read => Effect.suspend((): Read => (process.stdin.isTTY ? typed : piped))
}) {}

/** Reads text of several lines, such as a private key. */
export const secretText = (option: string) =>
  Effect.gen(function* () {
    const text = (yield* yield* Stdin).trim()
    if (text !== "") return Redacted.make(`${text}\n`)
    return yield* Effect.fail(
      usage(`--${option}: there is nothing on standard input; pipe it in, as from a file with '<'`)
    )
  })

/** Reads one line that must not be on a command line, where histories and process lists show it. */
export const secretLine = (option: string, longest: number) =>
  Effect.gen(function* () {
    const refuse = (problem: string) => Effect.fail(usage(`--${option}: ${problem}`))
    const text = (yield* yield* Stdin).trim()
    if (text === "") return yield* refuse("there is nothing on standard input; pipe it in, as from a file with '<'")
    if (/[\r\n]/.test(text)) return yield* refuse("there is more than one line on standard input")
    if (text.length > longest) return yield* refuse(`it may have at most ${longest} characters`)
    return Redacted.make(text)
  })
