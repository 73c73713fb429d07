import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { Config, ConfigError, Console, Effect, Either, Option, Redacted, Schema, Stream } from "effect"
import { createInterface } from "node:readline"
import { withoutSlashes } from "../../../domain/value/Text.ts"
import { hidden, optional, web } from "../../Settings.ts"
import { program } from "../Wording.ts"
import { proxy } from "./Proxy.ts"
import { clients, snippets } from "./Snippets.ts"

const help = `Serves coding agents over standard input and output: a proxy to the MCP server of a service, at /mcp.

  SERVICE_URL=https://gatehouse.example.com SERVICE_API_KEY=tk_… ${program} mcp

Clients that speak HTTP need no proxy. To see what to paste for one of them:
  ${program} mcp --print ${clients.join("|")}

docs/mcp.md describes tools, access and each client.`

export class UnknownClient extends Schema.TaggedError<UnknownClient>()("UnknownClient", { given: Schema.String }) {
  override get message() {
    return `--print must be one of ${clients.join(", ")}; got '${this.given}'.`
  }
}

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

const printed = Effect.fnUntraced(function* (client: string) {
  const snippet = Object.hasOwn(snippets, client) ? snippets[client] : undefined
  if (snippet === undefined) return yield* new UnknownClient({ given: client.slice(0, 100) })
  const address = Option.getOrElse(yield* url, () => "http://localhost:3000/mcp")
  yield* Console.error(`Put this into ${snippet.file}, and set SERVICE_API_KEY where the client starts:`)
  yield* Console.log(snippet.text(address))
})

/** Lines of standard input. */
const lines = Stream.suspend(() =>
  Stream.fromAsyncIterable(createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }), String)
)

/** Runs `gatehouse mcp` with the words after it. */
export const mcp = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    if (words.includes("--help") || words.includes("-h")) return yield* Console.log(help)
    const [option, ...rest] = words.flatMap((word) =>
      word.startsWith("--print=") ? ["--print", word.slice(8)] : [word]
    )
    if (option === "--print") return yield* printed(rest[0] ?? "")
    if (option !== undefined) return yield* new UnknownClient({ given: option.slice(0, 100) })
    yield* proxy(yield* service, lines, (message) => void process.stdout.write(`${JSON.stringify(message)}\n`))
  }).pipe(Effect.provide(FetchHttpClient.layer))
