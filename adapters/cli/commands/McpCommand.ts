import * as Options from "@effect/cli/Options"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { Config, ConfigError, Console, Effect, Either, Option, Redacted, Schema, Stream } from "effect"
import { withoutSlashes } from "../../../domain/value/Text.ts"
import { type McpClientId, mcpClients } from "../../api/McpClients.ts"
import { hidden, optional, web } from "../../Settings.ts"
import { printingVerb } from "../Command.ts"
import { proxy } from "../mcp/Proxy.ts"
import { oneOf } from "../Options.ts"

const url = Config.map(
  web("SERVICE_URL"),
  Option.map((address) => `${withoutSlashes(address)}/mcp`)
)

const key = optional(
  "SERVICE_API_KEY",
  "an API token: tk_ and 32 letters or digits, as 'gatehouse token create' prints",
  (text) => (/^[tr]k_[A-Za-z0-9]{32}$/.test(text) ? Option.some(Redacted.make(text)) : Option.none()),
  hidden
)

const required = <A>(name: string, wanted: string, config: Config.Config<Option.Option<A>>) =>
  Config.mapOrFail(config, (found) =>
    Either.fromOption(found, () => ConfigError.MissingData([name], `${name} is missing; set it to ${wanted}`))
  )

const service = Config.all({
  url: required("SERVICE_URL", "the address of the service, such as https://gatehouse.example.com", url),
  key: required("SERVICE_API_KEY", "an API token of the workspace, tk_…", key)
})

const settingsOf = Effect.fnUntraced(function* (client: McpClientId) {
  const { file, name, text, token } = mcpClients[client]
  const address = Option.getOrElse(yield* url, () => "http://localhost:3000/mcp")
  return { client, name, file, token, text: text(address) }
})

/** Chunks of standard input; an iterator of it could not be left before the next one. */
const chunks = Stream.asyncPush<Uint8Array>(
  (emit) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const end = () => emit.end()
        process.stdin
          .on("data", (chunk: Buffer) => emit.single(chunk))
          .on("end", end)
          .on("error", end)
      }),
      () => Effect.sync(() => process.stdin.destroy())
    ),
  { bufferSize: "unbounded" }
)

/** Lines of it, which end with a line feed alone: a text may hold the separators of Unicode. */
const lines = chunks.pipe(Stream.decodeText(), Stream.splitLines)

/** Done when the client no longer reads. */
const unread = Effect.async<void>((resume) => void process.stdout.once("error", () => resume(Effect.void)))

const serve = Effect.flatMap(service, (found) =>
  Effect.raceFirst(
    proxy(found, lines, (message) => void process.stdout.write(`${JSON.stringify(message)}\n`)),
    unread
  )
).pipe(Effect.as(null), Effect.provide(FetchHttpClient.layer))

const ids = Schema.Literal("claude-code", "codex", "gemini-cli", "opencode", "vscode", "cursor")

/** Needs no database: it only calls the service. */
export const mcpCommand = printingVerb(
  "mcp",
  "Serve a coding agent over standard input and output, or print the settings of a client",
  {
    print: Options.optional(oneOf("print", ids, "Print what to paste for a client that speaks HTTP, and end"))
  },
  ({ print }) => Option.match(print, { onNone: () => serve, onSome: settingsOf }),
  (settings, isForScripts) => {
    if (settings === null) return Effect.void
    if (isForScripts) return Console.log(JSON.stringify(settings))
    const hint = `Put this into ${settings.file}. ${settings.name} takes the API token from ${settings.token}.\n`
    return Effect.zipRight(
      Effect.sync(() => void process.stderr.write(hint)),
      Console.log(settings.text)
    )
  }
)
