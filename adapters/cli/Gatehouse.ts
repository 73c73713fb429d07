import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import { Console, Effect, HashMap, type Layer, Option } from "effect"
import type { AuditLog } from "../../application/ports/AuditLog.ts"
import type { DecisionStore } from "../../application/ports/DecisionStore.ts"
import type { ImportStore } from "../../application/ports/ImportStore.ts"
import type { JobStore } from "../../application/ports/JobStore.ts"
import type { RunStore } from "../../application/ports/RunStore.ts"
import type { StoryStore } from "../../application/ports/StoryStore.ts"
import type { TeamStore } from "../../application/ports/TeamStore.ts"
import type { TokenStore } from "../../application/ports/TokenStore.ts"
import type { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import { auditCommand } from "./AuditCommands.ts"
import { demoCommand, importCommand } from "./DataCommands.ts"
import { decisionCommand } from "./DecisionCommands.ts"
import * as Help from "./Help.ts"
import { jobCommand } from "./JobCommands.ts"
import { misspelt } from "./Misspelt.ts"
import { runCommand } from "./RunCommands.ts"
import { storyCommand } from "./StoryCommands.ts"
import { policyCommand, teamCommand } from "./TeamCommands.ts"
import { tokenCommand } from "./TokenCommands.ts"
import { memberCommand, workspaceCommand } from "./WorkspaceCommands.ts"

const commands = [
  workspaceCommand,
  memberCommand,
  tokenCommand,
  teamCommand,
  policyCommand,
  storyCommand,
  runCommand,
  decisionCommand,
  jobCommand,
  auditCommand,
  importCommand,
  demoCommand
] as const

const about = "The operator's command line. Without a command the service starts"

const gatehouse = Command.make("gatehouse").pipe(Command.withDescription(about), Command.withSubcommands(commands))

const named = (descriptor: CommandDescriptor.Command<unknown>) =>
  [...CommandDescriptor.getNames(descriptor)].map((name) => [name, descriptor] as const)

const descriptors = new Map(commands.flatMap(({ descriptor }) => named(descriptor)))

const vocabulary = new Map(
  [...descriptors].map(([name, descriptor]) => {
    const verbs = [...HashMap.keys(CommandDescriptor.getSubcommands(descriptor))].toSorted()
    return [name, verbs.filter((verb) => verb !== name)] as const
  })
)

/** `--json` may stand anywhere; the parser wants it after the command. */
const withJsonLast = (argv: ReadonlyArray<string>) => {
  const words = argv.filter((word) => word !== "--json")
  return words.length === argv.length ? argv : [...words, "--json"]
}

type Ports =
  | AuditLog
  | DecisionStore
  | ImportStore
  | JobStore
  | RunStore
  | StoryStore
  | TeamStore
  | TokenStore
  | WorkspaceStore

/** Runs one command; its stores are opened only once the words make sense. Whoever catches a failure tells it. */
export const run = <E, R>(argv: ReadonlyArray<string>, stores: Layer.Layer<Ports, E, R>) => {
  const line = withJsonLast(argv)
  const words = line.slice(2)
  const unknown = Effect.suspend(() => Effect.fail(misspelt(vocabulary, words)))
  const help = Help.asked(descriptors, about, words)
  if (Option.isSome(help)) return Console.log(help.value)
  if (Help.isWanted(words)) return unknown
  const command = Command.run(Command.provide(gatehouse, stores), { name: "gatehouse", version: "1" })(line)
  return Effect.consoleWith((console) => Effect.withConsole(command, { ...console, error: () => Effect.void })).pipe(
    Effect.catchTag("CommandMismatch", () => unknown)
  )
}
