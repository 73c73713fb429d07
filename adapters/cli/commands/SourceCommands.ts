import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Redacted } from "effect"
import { CheckStore } from "../../../application/ports/CheckStore.ts"
import { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import * as Sources from "../../../application/oncall/Sources.ts"
import { Severity } from "../../../domain/value/Severity.ts"
import { SourceKind } from "../../../domain/oncall/SignalSource.ts"
import { formatOrNull } from "../../../domain/value/Timestamp.ts"
import * as CheckOptions from "../CheckOptions.ts"
import { deliveries, replay } from "./DeliveryCommands.ts"
import { confirmName, names, newName, oneOf, onOff, options, usage } from "../Options.ts"
import { givenSecret, rotate, secretStdin, setCredentials, setSecret } from "./SecretCommands.ts"
import { isOurs, setupSteps } from "../SetupSteps.ts"
import { signalAddress } from "../SignalAddress.ts"
import { test } from "../SendTest.ts"
import { show } from "../SourceShow.ts"
import { SeverityWord, wordsShown } from "../SeverityOptions.ts"
import { name, shown, shownIn } from "../SourceText.ts"
import { complete, personalList } from "../Paging.ts"
import { personalVerb } from "../Command.ts"

const services = names("services", "The services its alerts may be about, by name, separated by commas")

const severityWords = options(
  "severity",
  SeverityWord,
  `a word, '=' and one of ${Severity.literals.join(", ")}, or nothing after it to forget the word`,
  { description: "What a word of the tool means, such as page=critical; repeatable", placeholder: "WORD=SEVERITY" }
)

const create = personalVerb(
  "create",
  "Connect an alerting tool, shown with address, secret and steps to set it up; or have an address checked",
  {
    name: newName("name", "Name of the signal source"),
    kind: oneOf("kind", SourceKind, "Which tool it is, or uptime for an address to check"),
    services,
    secretStdin,
    timestampRequired: Options.boolean("timestamp-required").pipe(
      Options.withDescription("Refuses deliveries without a signed time")
    ),
    check: CheckOptions.options
  },
  (person, { check: words, kind, name, secretStdin, services, timestampRequired }) =>
    Effect.gen(function* () {
      const check = CheckOptions.given(words)
      if (kind !== "uptime" && check !== null) return yield* Effect.fail(usage(CheckOptions.onlyOfUptime))
      if (kind === "uptime" && check?.url === undefined)
        return yield* Effect.fail(usage("Add --url, the address to check"))
      if (kind === "uptime" && (secretStdin || timestampRequired))
        return yield* Effect.fail(usage("--secret-stdin and --timestamp-required are of tools that post"))
      const given = secretStdin ? yield* givenSecret : null
      const made = yield* Sources.create(person, {
        name,
        kind,
        services,
        secret: given,
        isTimestampRequired: timestampRequired,
        check
      })
      const seen = yield* shownIn(person.workspace, made.source)
      if (seen.url === null) return { ...seen, secret: undefined, setup: undefined }
      const secret = Redacted.value(made.secret)
      const setup = made.setup({ url: seen.url, secret })
      const steps = yield* setupSteps(person, made.source, { url: seen.url, secret, setup })
      return { ...seen, secret: isOurs(secret, setup) ? secret : undefined, setup: steps }
    }),
  (made) =>
    [
      `Created the signal source ${made.name} (${made.kind}) for ${made.services.join(", ")}.`,
      ...(made.setup === undefined
        ? CheckOptions.toCome(made.check)
        : [
            `URL: ${made.url}`,
            ...(made.secret === undefined ? [] : [`Secret, shown this once: ${made.secret}`]),
            "",
            ...made.setup
          ])
    ].join("\n")
)

const set = personalVerb(
  "set",
  "Change its services, whether it must sign times, its words for severities, what it checks; the rest stays",
  {
    name,
    services: Options.optional(services),
    timestampRequired: Options.optional(
      onOff("timestamp-required", "Whether deliveries without a signed time are refused")
    ),
    severity: severityWords,
    check: CheckOptions.options
  },
  (person, { check: words, name, services, severity, timestampRequired }) =>
    Effect.gen(function* () {
      const check = CheckOptions.given(words)
      if (Option.isNone(services) && Option.isNone(timestampRequired) && severity.length === 0 && check === null)
        return yield* Effect.fail(
          usage(
            `There is nothing to change: give --services, --timestamp-required, --severity or, of uptime, ${CheckOptions.names}`
          )
        )
      const source = yield* Sources.set(person, name, {
        services: Option.getOrNull(services),
        isTimestampRequired: Option.getOrNull(timestampRequired),
        ...(severity.length > 0 && { severities: new Map(severity) }),
        check
      })
      return yield* shownIn(person.workspace, source)
    }),
  ({ check, name, services, severities, timestampRequired }) => {
    const rule = check ? CheckOptions.inWords(check) : `it ${timestampRequired ? "must" : "need not"} sign times`
    return [`${name} feeds ${services.join(", ") || "no service"}; ${rule}.`, ...wordsShown(severities)].join("\n")
  }
)

const pause = personalVerb(
  "pause",
  "Pause a source: what it sends is recorded and opens nothing, recoveries still count",
  { name },
  (person, input) => Effect.flatMap(Sources.pause(person, input.name), (source) => shownIn(person.workspace, source)),
  ({ name }) => `Paused ${name}.`
)

const resume = personalVerb(
  "resume",
  "Resume a source: what it sends opens incidents again",
  { name },
  (person, input) => Effect.flatMap(Sources.resume(person, input.name), (source) => shownIn(person.workspace, source)),
  ({ name }) => `Resumed ${name}.`
)

const remove = personalVerb(
  "delete",
  "Delete a source: its address is gone and its alerts are over; rows and audit stay",
  { name, confirm: confirmName },
  (person, { confirm, name }) =>
    Effect.map(Sources.remove(person, name, confirm), ({ name }) => ({ name, deleted: true })),
  ({ name }) => `Deleted the signal source ${name}.`
)

const list = personalList(
  "list",
  "List signal sources with how often their posts were refused, by name",
  {},
  ({ workspace }) =>
    Effect.gen(function* () {
      const store = yield* OnCallStore
      const { services, sources } = yield* store.look(workspace)
      const refusals = yield* store.refusals(workspace)
      const healths = yield* (yield* CheckStore).healths(workspace)
      const address = yield* signalAddress
      const present = sources.filter(({ deletedAt }) => deletedAt === null)
      return complete(
        present.map((source) => {
          const { count, last, lastAt } = refusals.get(source.id) ?? { count: 0, last: null, lastAt: null }
          const seen = shown(source, services, address, healths.get(source.id))
          return { ...seen, refusals: { count, last, lastAt: formatOrNull(lastAt) } }
        })
      )
    }),
  "No signal sources.",
  (sources) =>
    sources.flatMap(({ check, connected, kind, name, paused, refusals, services, trouble, url }) => [
      [
        name,
        kind,
        services.join(", ") || "no service",
        paused ? "paused" : "active",
        ...(connected ? [] : ["disconnected"])
      ].join("  "),
      `          ${check ? CheckOptions.lastLook(check) : url}`,
      ...(refusals.count === 0
        ? []
        : [`          ${refusals.count} refused, the last at ${refusals.lastAt}: ${refusals.last}`]),
      ...(trouble === null ? [] : [`          Its API refused us: ${trouble}`])
    ])
)

export const sourceCommand = Command.make("source").pipe(
  Command.withDescription("Connect alerting tools, and see what they send"),
  Command.withSubcommands([
    create,
    set,
    setSecret,
    setCredentials,
    rotate,
    pause,
    resume,
    remove,
    list,
    show,
    deliveries,
    replay,
    test
  ])
)
