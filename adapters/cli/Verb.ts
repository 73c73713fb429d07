import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import { type Array, Console, Effect, Schema } from "effect"
import { Line } from "../../domain/Text.ts"
import { WorkspaceSlug } from "../../domain/Workspace.ts"

/** An option whose refusal names it, what it got and what is allowed. */
export const option = <A, I extends string>(name: string, schema: Schema.Schema<A, I>, allowed: string) => {
  const decode = Schema.decodeUnknown(schema)
  return Options.text(name).pipe(
    Options.mapEffect((text) =>
      Effect.mapError(decode(text), () =>
        ValidationError.invalidValue(HelpDoc.p(`--${name} must be ${allowed}; got '${text}'`))
      )
    )
  )
}

export const oneOf = <const A extends Array.NonEmptyReadonlyArray<string>>(name: string, words: Schema.Literal<A>) =>
  option(name, words, `one of ${words.literals.join(", ")}`).pipe(Options.withPseudoName(words.literals.join("|")))

export const line = (name: string, description: string) =>
  option(name, Line(200), "text of 1 to 200 characters").pipe(Options.withDescription(description))

export const slug = (name: string) => option(name, WorkspaceSlug, "lowercase words joined by hyphens, such as 'acme'")

export const workspace = slug("workspace").pipe(Options.withDescription("Slug of the workspace"))

const json = Options.boolean("json").pipe(Options.withDescription("Print one JSON value, for scripts"))

/** A command that prints its result: readable for people, one JSON value with --json. */
export const verb = <Name extends string, const Config extends Command.Command.Config, A, E, R>(
  name: Name,
  description: string,
  config: Config,
  run: (input: Command.Command.ParseConfig<Config>) => Effect.Effect<A, E, R>,
  show: (result: A) => string
) =>
  Command.make(name, { ...config, json }, (input) =>
    Effect.flatMap(run(input as Command.Command.ParseConfig<Config>), (result) =>
      Console.log((input as { readonly json: boolean }).json ? JSON.stringify(result) : show(result))
    )
  ).pipe(Command.withDescription(description))
