import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Console, Effect, Option } from "effect"
import * as Authorization from "../../application/workspace/Authorization.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { email, workspace } from "./Options.ts"

export const json = Options.boolean("json").pipe(Options.withDescription("Print one JSON value, for scripts"))

/** Prints a result, for scripts or for people. */
export type Print<A> = (result: A, isForScripts: boolean) => Effect.Effect<void>

const asOne =
  <A>(show: (result: A) => string): Print<A> =>
  (result, isForScripts) =>
    Console.log(isForScripts ? JSON.stringify(result) : show(result))

/** A command with a print of its own. */
export const printingVerb = <Name extends string, const Config extends Command.Command.Config, A, E, R>(
  name: Name,
  description: string,
  config: Config,
  run: (input: Command.Command.ParseConfig<Config>) => Effect.Effect<A, E, R>,
  print: Print<A>
) =>
  Command.make(name, { ...config, json }, (input) =>
    Effect.flatMap(run(input as Command.Command.ParseConfig<Config>), (result) =>
      print(result, (input as { readonly json: boolean }).json)
    )
  ).pipe(Command.withDescription(description))

/** A command that prints its result: readable for people, one JSON value with --json. */
export const verb = <Name extends string, const Config extends Command.Command.Config, A, E, R>(
  name: Name,
  description: string,
  config: Config,
  run: (input: Command.Command.ParseConfig<Config>) => Effect.Effect<A, E, R>,
  show: (result: A) => string
) => printingVerb(name, description, config, run, asOne(show))

const as = email("as", "E-mail address of the member who acts")

/** The acting member of a command that the operator may also use. */
export const maybeAs = Options.optional(
  email("as", "E-mail address of the member who acts; without it, the operator does")
)

/** The named member, or the operator. */
export const who = (slug: WorkspaceSlug, as: Option.Option<string>) =>
  Option.match(as, {
    onNone: () => Effect.succeed<Authorization.Who>(bySystem),
    onSome: (email) => Effect.map(Authorization.member(slug, email, "app"), (person): Authorization.Who => person)
  })

type Personal<Config extends Command.Command.Config> = Config & {
  readonly workspace: typeof workspace
  readonly as: typeof as
}

interface Everyones {
  readonly workspace: WorkspaceSlug
  readonly as: string
  readonly json: boolean
}

/** A command given by a member of the workspace, with a print of its own. */
export const personalPrintingVerb = <Name extends string, const Config extends Command.Command.Config, A, E, R>(
  name: Name,
  description: string,
  config: Config,
  run: (person: Authorization.Person, input: Command.Command.ParseConfig<Config>) => Effect.Effect<A, E, R>,
  print: Print<A>
) =>
  printingVerb(
    name,
    description,
    { workspace, as, ...config } as Personal<Config>,
    (input) => {
      const { as: email, json: _, workspace: slug, ...rest } = input as unknown as Everyones
      return Effect.flatMap(Authorization.member(slug, email, "app"), (person) =>
        run(person, rest as unknown as Command.Command.ParseConfig<Config>)
      )
    },
    print
  )

/** A command given by a member of the workspace. */
export const personalVerb = <Name extends string, const Config extends Command.Command.Config, A, E, R>(
  name: Name,
  description: string,
  config: Config,
  run: (person: Authorization.Person, input: Command.Command.ParseConfig<Config>) => Effect.Effect<A, E, R>,
  show: (result: A) => string
) => personalPrintingVerb(name, description, config, run, asOne(show))
