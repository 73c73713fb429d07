import * as Command from "@effect/cli/Command"
import * as ValidationError from "@effect/cli/ValidationError"
import { Console, Effect, type Layer, Option } from "effect"
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
import { auditCommand } from "./commands/AuditCommands.ts"
import { connectionCommand } from "./commands/ConnectionCommands.ts"
import { trackerCommand } from "./commands/TrackerCommands.ts"
import { demoCommand, importCommand } from "./commands/DataCommands.ts"
import { decisionCommand } from "./commands/DecisionCommands.ts"
import { deliveryCommand } from "./commands/DeliveryCommands.ts"
import * as Help from "./Help.ts"
import { alertCommand, incidentCommand } from "./commands/IncidentCommands.ts"
import { jobCommand } from "./commands/JobCommands.ts"
import { notificationCommand } from "./commands/NotificationCommands.ts"
import { misspelt, repeatedOption, unknownOption } from "./Suggestions.ts"
import { mcpCommand } from "./commands/McpCommand.ts"
import { placeCommand } from "./commands/PlaceCommands.ts"
import { runCommand } from "./commands/RunCommands.ts"
import { runnerCommand } from "./commands/RunnerCommands.ts"
import { serviceCommand } from "./commands/ServiceCommands.ts"
import { sourceCommand } from "./commands/SourceCommands.ts"
import { storyCommand } from "./commands/StoryCommands.ts"
import { teamCommand } from "./commands/TeamCommands.ts"
import { tokenCommand } from "./commands/TokenCommands.ts"
import * as Spellings from "./Spellings.ts"
import { memberCommand } from "./commands/MemberCommands.ts"
import { policyCommand } from "./commands/PolicyCommands.ts"
import { workspaceCommand } from "./commands/WorkspaceCommands.ts"

const commands = [
  workspaceCommand,
  memberCommand,
  tokenCommand,
  teamCommand,
  policyCommand,
  storyCommand,
  runCommand,
  runnerCommand,
  connectionCommand,
  trackerCommand,
  mcpCommand,
  decisionCommand,
  serviceCommand,
  sourceCommand,
  deliveryCommand,
  incidentCommand,
  alertCommand,
  jobCommand,
  notificationCommand,
  auditCommand,
  importCommand,
  demoCommand
] as const

const about = "The operator's command line. Without a command the service starts"

const gatehouse = Command.make("gatehouse").pipe(Command.withDescription(about), Command.withSubcommands(commands))

/** That command only calls a service, and opens no store. */
const storeless = Command.make("gatehouse").pipe(Command.withSubcommands([mcpCommand]))

const vocabulary = Spellings.make(
  commands.map(({ descriptor }) => descriptor),
  new Map([["team place", placeCommand.descriptor]])
)

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
export const run = <E, R>(argv: ReadonlyArray<string>, stores: Layer.Layer<Ports, E, R>) => {
  const line = withJsonLast(argv)
  const words = line.slice(2)
  const unknown = Effect.suspend(() => Effect.fail(misspelt(vocabulary, words)))
  const help = Help.asked(vocabulary, about, words)
  if (Option.isSome(help)) return Console.log(help.value)
  if (Help.isWanted(words)) return unknown
  const program = { name: "gatehouse", version: manifest.version }
  const command =
    words[0] === "mcp"
      ? Command.run(storeless, program)(line)
      : Command.run(Command.provide(gatehouse, stores), program)(line)
  // Texts of people, agents and alerting tools steer no terminal.
  const safe = line.includes("--json") ? printableJson : printable
  return Effect.consoleWith((console) =>
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
}
