import * as Options from "@effect/cli/Options"
import { Effect, Redacted } from "effect"
import * as Sources from "../../../application/oncall/Sources.ts"
import type { SignalSource } from "../../../domain/oncall/SignalSource.ts"
import { formatOrNull } from "../../../domain/value/Timestamp.ts"
import { usage } from "../Options.ts"
import { setupSteps } from "../SetupSteps.ts"
import { name, shownIn } from "../SourceText.ts"
import { secretLine } from "../Stdin.ts"
import { personalVerb } from "../Command.ts"

const longest = 1000

export const secretStdin = Options.boolean("secret-stdin").pipe(
  Options.withDescription("Reads the secret that the tool made from standard input")
)

export const givenSecret = secretLine("secret-stdin", longest)

/** End of validity of the previous secret. */
const previousUntil = ({ secrets: [, previous] }: SignalSource) => formatOrNull(previous?.until ?? null)

export const setSecret = personalVerb(
  "secret",
  "Set the secret that the tool made itself; the one before passes for another 24 hours",
  { name, secretStdin },
  (person, input) =>
    Effect.gen(function* () {
      if (!input.secretStdin)
        return yield* Effect.fail(usage("Add --secret-stdin and give the secret on standard input"))
      const source = yield* Sources.setSecret(person, input.name, yield* givenSecret)
      return { ...(yield* shownIn(person.workspace, source)), previousUntil: previousUntil(source) }
    }),
  ({ name, previousUntil }) =>
    `The secret of ${name} is set. The one before passes for another 24 hours, until ${previousUntil}.`
)

export const setCredentials = personalVerb(
  "credentials",
  "Set the API credentials by which alerts are acknowledged and resolved in the tool",
  {
    name,
    stdin: Options.boolean("stdin").pipe(Options.withDescription("Reads the credentials from standard input"))
  },
  (person, { name, stdin }) =>
    Effect.gen(function* () {
      if (!stdin) return yield* Effect.fail(usage("Add --stdin and give the credentials on standard input"))
      const source = yield* Sources.setCredentials(person, name, yield* secretLine("stdin", longest))
      return yield* shownIn(person.workspace, source)
    }),
  ({ name }) => `The credentials of ${name} are set. Services use them when acknowledgeInSource is on.`
)

export const rotate = personalVerb(
  "rotate",
  "Make a new secret, shown this once; the one before passes for another 24 hours",
  { name },
  (person, input) =>
    Effect.gen(function* () {
      const { secret: fresh, setup: stepsFor, source } = yield* Sources.rotate(person, input.name)
      const seen = yield* shownIn(person.workspace, source)
      const secret = Redacted.value(fresh)
      const url = seen.url ?? ""
      const setup = yield* setupSteps(person, source, { url, secret, setup: stepsFor({ url, secret }) })
      return { ...seen, secret, previousUntil: previousUntil(source), setup }
    }),
  ({ name, previousUntil, secret, setup }) =>
    [
      `The new secret of ${name}, shown this once: ${secret}`,
      `Both it and the one before pass for 24 hours, until ${previousUntil}. Put it into the tool by then:`,
      "",
      ...setup
    ].join("\n")
)
