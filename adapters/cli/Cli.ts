import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import { Array, Console, Effect, Layer, Option } from "effect"
import { Origin } from "../../application/workspace/RequestOrigin.ts"
import type { AlertTools } from "../../application/ports/AlertTools.ts"
import type { AuditLog } from "../../application/ports/AuditLog.ts"
import type { CheckStore } from "../../application/ports/CheckStore.ts"
import type { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import type { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import type { DecisionStore } from "../../application/ports/DecisionStore.ts"
import type { IdentityStore } from "../../application/ports/identity/IdentityStore.ts"
import type { ImportStore } from "../../application/ports/ImportStore.ts"
import type { Inbox } from "../../application/ports/Inbox.ts"
import type { JobStore } from "../../application/ports/JobStore.ts"
import type { OnCallStore } from "../../application/ports/OnCallStore.ts"
import type { RunnerStore } from "../../application/ports/runner/RunnerStore.ts"
import type { RunStore } from "../../application/ports/RunStore.ts"
import type { SignalStore } from "../../application/ports/SignalStore.ts"
import type { SourceApis } from "../../application/ports/SourceApis.ts"
import type { StoryStore } from "../../application/ports/StoryStore.ts"
import type { TeamStore } from "../../application/ports/TeamStore.ts"
import type { TokenStore } from "../../application/ports/TokenStore.ts"
import type { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import type { Sealing } from "../../application/secrets/Sealing.ts"
import { printable, printableJson } from "../../domain/value/Text.ts"
import manifest from "../../package.json" with { type: "json" }
import * as Help from "./Help.ts"
import { misspelt, repeatedOption, unknownOption } from "./Suggestions.ts"
import * as Spellings from "./Spellings.ts"

/** Commands by their first word; a command starts faster without the modules of the others. */
const commands = {
  workspace: async () => (await import("./commands/WorkspaceCommands.ts")).workspaceCommand,
  member: async () => (await import("./commands/MemberCommands.ts")).memberCommand,
  token: async () => (await import("./commands/TokenCommands.ts")).tokenCommand,
  team: async () => (await import("./commands/TeamCommands.ts")).teamCommand,
  policy: async () => (await import("./commands/PolicyCommands.ts")).policyCommand,
  story: async () => (await import("./commands/StoryCommands.ts")).storyCommand,
  run: async () => (await import("./commands/RunCommands.ts")).runCommand,
  runner: async () => (await import("./commands/RunnerCommands.ts")).runnerCommand,
  connection: async () => (await import("./commands/ConnectionCommands.ts")).connectionCommand,
  tracker: async () => (await import("./commands/TrackerCommands.ts")).trackerCommand,
  mcp: async () => (await import("./commands/McpCommand.ts")).mcpCommand,
  decision: async () => (await import("./commands/DecisionCommands.ts")).decisionCommand,
  service: async () => (await import("./commands/ServiceCommands.ts")).serviceCommand,
  source: async () => (await import("./commands/SourceCommands.ts")).sourceCommand,
  delivery: async () => (await import("./commands/DeliveryCommands.ts")).deliveryCommand,
  incident: async () => (await import("./commands/IncidentCommands.ts")).incidentCommand,
  alert: async () => (await import("./commands/IncidentCommands.ts")).alertCommand,
  job: async () => (await import("./commands/JobCommands.ts")).jobCommand,
  notification: async () => (await import("./commands/NotificationCommands.ts")).notificationCommand,
  audit: async () => (await import("./commands/AuditCommands.ts")).auditCommand,
  import: async () => (await import("./commands/DataCommands.ts")).importCommand,
  demo: async () => (await import("./commands/DataCommands.ts")).demoCommand
}

type Word = keyof typeof commands
type Loaded = Awaited<ReturnType<(typeof commands)[Word]>>

const everyWord = Object.keys(commands) as Array.NonEmptyArray<Word>

/** The command of the first word, or all of them, with the spellings of their verbs. */
const load = (first: string | undefined) =>
  Effect.promise(async () => {
    const one = everyWord.find((word) => word === first)
    const words = one === undefined ? everyWord : Array.of(one)
    const loaded = await Promise.all(Array.map(words, (word): Promise<Loaded> => commands[word]()))
    const { placeCommand } = words.includes("team") ? await import("./commands/PlaceCommands.ts") : {}
    const nested = placeCommand === undefined ? [] : [["team place", placeCommand.descriptor] as const]
    const vocabulary = Spellings.make(
      loaded.map(({ descriptor }) => descriptor),
      new Map(nested)
    )
    return { loaded, vocabulary }
  })

const about = "The operator's command line. Without a command the service starts"

/** Moves `--json` to the end, where the parser expects it. */
const withJsonLast = (argv: ReadonlyArray<string>) => {
  const words = argv.filter((word) => word !== "--json")
  return words.length === argv.length ? argv : [...words, "--json"]
}

type Ports =
  | ConnectionStore
  | TrackerStore
  | AlertTools
  | AuditLog
  | CheckStore
  | DecisionStore
  | IdentityStore
  | ImportStore
  | Inbox
  | JobStore
  | OnCallStore
  | RunnerStore
  | RunStore
  | Sealing
  | SignalStore
  | SourceApis
  | StoryStore
  | TeamStore
  | TokenStore
  | WorkspaceStore

/** Runs one command; opens its stores only once the command line is valid. The caller prints a failure. */
export const run = Effect.fn(function* <E, R>(argv: ReadonlyArray<string>, stores: Layer.Layer<Ports, E, R>) {
  const line = withJsonLast(argv)
  const words = line.slice(2)
  const { loaded, vocabulary } = yield* load(words[0])
  const unknown = Effect.suspend(() => Effect.fail(misspelt(vocabulary, words)))
  const help = Help.asked(vocabulary, about, words)
  if (Option.isSome(help)) return yield* Console.log(help.value)
  if (Help.isWanted(words)) return yield* unknown
  const program = { name: "gatehouse", version: manifest.version }
  const gatehouse = Command.make("gatehouse").pipe(Command.withDescription(about), Command.withSubcommands(loaded))
  // `mcp` only calls a service, and opens no store.
  const opened = words[0] === "mcp" ? Layer.empty : stores
  const command = Command.run(Command.provide(gatehouse, opened as typeof stores), program)(line)
  // Texts of people, agents and alerting tools steer no terminal.
  const safe = line.includes("--json") ? printableJson : printable
  return yield* Effect.consoleWith((console) =>
    Effect.withConsole(command, {
      ...console,
      log: (...texts) => console.log(...texts.map((text) => safe(String(text)))),
      error: () => Effect.void
    })
  ).pipe(
    Effect.provideService(Origin, { isCommandLine: true }),
    Effect.catchIf(
      (error) => ValidationError.isValidationError(error) && ValidationError.isCommandMismatch(error),
      () => unknown
    ),
    // The library names the option that is missing rather than the one that was typed.
    Effect.catchIf(
      (error) => ValidationError.isValidationError(error) && !ValidationError.isInvalidValue(error),
      (error) => Effect.suspend(() => Effect.fail(unknownOption(vocabulary, words) ?? error))
    ),
    Effect.catchIf(ValidationError.isValidationError, (error) => Effect.fail(repeatedOption(error, words) ?? error))
  )
})
