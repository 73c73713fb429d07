import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Redacted, Schema } from "effect"
import * as Connections from "../../../application/codehost/Connections.ts"
import { PublicUrl } from "../../../application/oncall/PublicUrl.ts"
import {
  type Connection,
  ConnectionKind,
  ConnectionName,
  githubAddress,
  stateOf
} from "../../../domain/connection/Connection.ts"
import { format, formatOrNull } from "../../../domain/value/Timestamp.ts"
import { columns } from "../Columns.ts"
import { personalVerb } from "../Command.ts"
import { line, oneOf, option, text, usage } from "../Options.ts"
import { complete, personalList } from "../Paging.ts"
import { secretLine, secretText } from "../Stdin.ts"

const shown = (connection: Connection) => ({
  id: connection.id,
  name: connection.name,
  kind: connection.kind,
  way: connection.way,
  baseUrl: connection.baseUrl,
  installation: connection.installation,
  state: stateOf(connection),
  trouble: connection.trouble && { ...connection.trouble, since: format(connection.trouble.since) },
  missing: connection.missing,
  testedAt: formatOrNull(connection.testedAt),
  createdAt: format(connection.createdAt)
})
type Shown = ReturnType<typeof shown>

const lines = ({ baseUrl, kind, missing, name, state, trouble, way }: Shown) => [
  `${name} is ${state}: ${kind} at ${baseUrl}, by ${way === "app" ? "an App" : "a token"}.`,
  ...(trouble === null ? [] : [`Since ${trouble.since}: ${trouble.reason}`]),
  ...missing.map((permission) => `Missing: ${permission}`)
]

/** Address that the host sends webhooks to. */
const hookOf = ({ kind, token }: Connection) => Effect.map(PublicUrl, (url) => `${url}/hooks/${kind}/${token}`)

const name = text("name", "Name of the connection, or its id")

const newName = option("name", ConnectionName, "text of 1 to 100 characters on one line", {
  description: "Name of the connection, such as github"
})

const longestToken = 1000

const secret = {
  token: Options.boolean("token-stdin").pipe(Options.withDescription("Reads a fine-grained token from standard input")),
  key: Options.boolean("key-stdin").pipe(Options.withDescription("Reads the private key of an App from standard input"))
}

/** An App signs with its key; a token is sent as it is. */
const readSecret = (token: boolean, key: boolean) =>
  Effect.gen(function* () {
    if (token === key)
      return yield* Effect.fail(usage("Give one of --token-stdin and --key-stdin, with the secret on standard input"))
    return token ? yield* secretLine("token-stdin", longestToken) : yield* secretText("key-stdin")
  })

const givenSecret = (token: boolean, key: boolean, app: Option.Option<string>, installation: Option.Option<number>) =>
  Effect.gen(function* () {
    const isApp = Option.isSome(app) && Option.isSome(installation)
    if (token !== key && (key !== isApp || (token && (Option.isSome(app) || Option.isSome(installation)))))
      return yield* Effect.fail(usage("--key-stdin takes --app and --installation; --token-stdin takes neither"))
    return yield* readSecret(token, key)
  })

const create = personalVerb(
  "create",
  "Connect a system by a token or by an App; the secret of its webhooks is shown this once",
  {
    name: newName,
    kind: oneOf("kind", ConnectionKind, "Kind of system"),
    baseUrl: Options.withDefault(
      line("base-url", "Address of its pages; for GitHub, https://github.com"),
      githubAddress
    ),
    ...secret,
    app: Options.optional(line("app", "Client id or number of the App")),
    installation: Options.optional(
      option("installation", Schema.NumberFromString.pipe(Schema.int(), Schema.positive()), "a whole number", {
        description: "Number of the App's installation",
        placeholder: "NUMBER"
      })
    )
  },
  (person, { app, baseUrl, installation, key, kind, name, token }) =>
    Effect.gen(function* () {
      const secret = yield* givenSecret(token, key, app, installation)
      const { connection, webhookSecret } = yield* Connections.create(person, {
        name,
        kind,
        baseUrl,
        secret,
        installation: Option.getOrNull(Option.all({ app, installation })),
        webhookSecret: null
      })
      return {
        ...shown(connection),
        webhookUrl: yield* hookOf(connection),
        webhookSecret: Redacted.value(webhookSecret)
      }
    }),
  ({ name, webhookSecret, webhookUrl }) =>
    [
      `Created the connection ${name}. Test it with connection test.`,
      "",
      "Webhooks are optional: they make the service look at once instead of within a minute.",
      `  Payload URL   ${webhookUrl}`,
      `  Secret        ${webhookSecret}`,
      "  Content type  application/json",
      "",
      "The secret is not shown again."
    ].join("\n")
)

const list = personalList(
  "list",
  "List the connections of the workspace",
  {},
  (person) => Effect.map(Connections.list(person), (all) => complete(all.map(shown))),
  "No connections.",
  (all) => columns(all.map(({ baseUrl, kind, name, state, way }) => [name, kind, way, baseUrl, state]))
)

const show = personalVerb(
  "show",
  "Show a connection, its last trouble and missing permissions",
  { name },
  (person, input) =>
    Effect.flatMap(Connections.find(person, input.name), (connection) =>
      Effect.map(hookOf(connection), (webhookUrl) => ({ ...shown(connection), webhookUrl }))
    ),
  (connection) => [...lines(connection), `Webhooks: ${connection.webhookUrl}`].join("\n")
)

class ConnectionTestFailed extends Schema.TaggedError<ConnectionTestFailed>()("ConnectionTestFailed", {
  lines: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.lines.join("\n")
  }
}

const test = personalVerb(
  "test",
  "Call the system, and say which permissions are missing; exit 1 when something is",
  { name },
  (person, input) =>
    Effect.flatMap(Connections.test(person, input.name), (connection) =>
      stateOf(connection) === "connected"
        ? Effect.succeed(shown(connection))
        : new ConnectionTestFailed({ lines: lines(shown(connection)) })
    ),
  (connection) => lines(connection).join("\n")
)

const renew = personalVerb(
  "renew",
  "Replace the token or the private key of a connection, which keeps its webhooks and the projects of teams",
  { name, ...secret },
  (person, { key, name: of, token }) =>
    Effect.flatMap(readSecret(token, key), (given) =>
      Effect.map(Connections.renew(person, of, { secret: given, way: key ? "app" : "token" }), shown)
    ),
  ({ name: of }) => `Replaced the secret of ${of}. Test it with connection test, and revoke the old one in the system.`
)

const remove = personalVerb(
  "remove",
  "Remove a connection and its secrets; revoke them in the system too",
  { name },
  (person, input) =>
    Effect.map(Connections.remove(person, input.name), ({ id, name }) => ({ id, name, removed: true })),
  ({ name }) => `Removed the connection ${name}. Revoke its token or App in the system too.`
)

export const connectionCommand = Command.make("connection").pipe(
  Command.withDescription("Connect the code host of the workspace"),
  Command.withSubcommands([create, list, show, test, renew, remove])
)
