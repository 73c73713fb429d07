import * as Command from "@effect/cli/Command"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import { Effect, HashMap, type Layer } from "effect"
import type { AuditLog } from "../../application/ports/AuditLog.ts"
import type { ImportStore } from "../../application/ports/ImportStore.ts"
import type { TokenStore } from "../../application/ports/TokenStore.ts"
import type { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import { auditCommand } from "./AuditCommands.ts"
import { demoCommand, importCommand } from "./DataCommands.ts"
import { misspelt } from "./Misspelt.ts"
import { tokenCommand } from "./TokenCommands.ts"
import { memberCommand, workspaceCommand } from "./WorkspaceCommands.ts"

const commands = [workspaceCommand, memberCommand, tokenCommand, importCommand, demoCommand, auditCommand] as const

const gatehouse = Command.make("gatehouse").pipe(
  Command.withDescription("The operator's command line. Without a command the service starts."),
  Command.withSubcommands(commands)
)

const words = (descriptor: CommandDescriptor.Command<unknown>) => {
  const verbs = [...HashMap.keys(CommandDescriptor.getSubcommands(descriptor))].toSorted()
  return [...CommandDescriptor.getNames(descriptor)].map(
    (name) => [name, verbs.filter((verb) => verb !== name)] as const
  )
}

const vocabulary = new Map(commands.flatMap(({ descriptor }) => words(descriptor)))

/** `--json` may stand anywhere; the parser wants it after the command. */
const withJsonLast = (argv: ReadonlyArray<string>) => {
  const words = argv.filter((word) => word !== "--json")
  return words.length === argv.length ? argv : [...words, "--json"]
}

/** Runs one command; its stores are opened only once the words make sense. Whoever catches a failure tells it. */
export const run = <E, R>(
  argv: ReadonlyArray<string>,
  stores: Layer.Layer<AuditLog | ImportStore | TokenStore | WorkspaceStore, E, R>
) => {
  const line = withJsonLast(argv)
  const command = Command.run(Command.provide(gatehouse, stores), { name: "gatehouse", version: "1" })(line)
  return Effect.consoleWith((console) => Effect.withConsole(command, { ...console, error: () => Effect.void })).pipe(
    Effect.catchTag("CommandMismatch", () => Effect.fail(misspelt(vocabulary, line.slice(2))))
  )
}
