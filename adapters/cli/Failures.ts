import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import { Cause, ConfigError, Console, Effect, Option } from "effect"
import { writeSync } from "node:fs"
import { stripVTControlCharacters } from "node:util"
import { printable, printableJson, snakeCase } from "../../domain/value/Text.ts"
import { worded } from "./Wording.ts"

const hasTag = (error: unknown): error is { readonly _tag: string; readonly message: string } =>
  typeof error === "object" && error !== null && "_tag" in error && "message" in error

const isConfigError = (error: unknown): error is ConfigError.ConfigError =>
  typeof error === "object" && error !== null && ConfigError.ConfigErrorTypeId in error

const settings = (error: ConfigError.ConfigError): ReadonlyArray<string> =>
  error._op === "And" || error._op === "Or" ? [...settings(error.left), ...settings(error.right)] : [error.message]

/** The library's refusals in our words. */
const ofLibrary = (line: string): string =>
  line
    .replace(/^Expected to find option: ('--[\w-]+')$/, "$1 is missing")
    .replace(/^Received unknown argument: ('--[\w-]+')$/, "$1 is no option of this command, or lacks its value")
    .replace(/^Received unknown argument: /, "There is nothing to do with ")

const wordsOf = (error: unknown) => {
  if (ValidationError.isValidationError(error)) {
    const text = stripVTControlCharacters(HelpDoc.toAnsiText(error.error))
    const lines = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]))
    return { code: "invalid_usage", message: lines.map(ofLibrary).join("; ") }
  }
  if (isConfigError(error)) return { code: "invalid_setting", message: settings(error).join("\n") }
  if (hasTag(error)) {
    const reason = "cause" in error && error.cause instanceof Error ? `: ${error.cause.message}` : ""
    return { code: snakeCase(error._tag), message: worded(`${error.message}${reason}`) }
  }
  return { code: "internal_error", message: String(error) }
}

/** A token typed in the wrong place must not end up in a log. */
const withoutTokens = (text: string) =>
  text.replace(/\b(tk_[A-Za-z0-9]{8})[A-Za-z0-9]{24}\b/g, "$1…").replace(/\b(gt[ls]_)[\w-]{43}/g, "$1…")

/** Prints the cause on stderr, as JSON for scripts, and ends the program with exit code 1. */
export const explain =
  (json: boolean) =>
  (cause: Cause.Cause<unknown>): Effect.Effect<never, 1> =>
    Effect.gen(function* () {
      if (Cause.isInterruptedOnly(cause)) return yield* Effect.interrupt
      const error = Cause.squash(cause)
      const { code, message: told } = wordsOf(error)
      const message = withoutTokens(told)
      if (!json && Option.isSome(Cause.dieOption(cause)) && !hasTag(error)) yield* Effect.logError(cause)
      const hint = code === "invalid_usage" ? "\nAdd --help to see what a command takes." : ""
      const text = json ? printableJson(JSON.stringify({ error: { code, message } })) : printable(`${message}${hint}`)
      yield* Console.error(text)
      return yield* Effect.fail(1 as const)
    })

/** Ends the program with exit code 1 when its output is lost; a reader that left, such as `head`, has all it wants. */
export const minding = (output: NodeJS.WritableStream, json: boolean): void => {
  const told = (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return
    output.off("error", told).on("error", () => {})
    const message = `The output could not be written: ${error.message}. What the command changed stays changed; revoke a token whose secret is lost, and create another.`
    writeSync(2, json ? `${JSON.stringify({ error: { code: "output_lost", message } })}\n` : `${message}\n`)
    process.exitCode = 1
  }
  output.on("error", told)
}
