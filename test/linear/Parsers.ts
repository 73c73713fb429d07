import { NodeContext } from "@effect/platform-node"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { explain } from "../../adapters/cli/Failures.ts"
import * as Cli from "../../adapters/cli/Cli.ts"
import { ClientAddress, layer as clientAddress } from "../../adapters/http/server/ClientAddress.ts"
import * as RequestNotes from "../../adapters/http/server/RequestNotes.ts"
import * as QueryParameters from "../../adapters/http/rest/QueryParameters.ts"
import * as Responses from "../../adapters/http/rest/Responses.ts"
import { allowed, successorOf } from "../../adapters/http/rest/Routes.ts"
import * as PayloadFields from "../../adapters/alerting/PayloadFields.ts"
import { tools } from "../../adapters/alerting/Tools.ts"
import * as Cursors from "../../application/workspace/Cursors.ts"
import * as JsonBody from "../../application/oncall/JsonBody.ts"
import { redacted } from "../../domain/oncall/Delivery.ts"
import { acceptanceFolder } from "../../domain/workspace/Policy.ts"
import { raisedBy } from "../../domain/work/DecisionTriggers.ts"
import * as Severity from "../../domain/value/Severity.ts"
import { fingerprintOf, keepable } from "../../domain/oncall/Signal.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"
import * as Text from "../../domain/value/Text.ts"
import * as Timestamp from "../../domain/value/Timestamp.ts"
import { readIssue } from "../../domain/tracker/ReadIssue.ts"
import { readLabels } from "../../domain/tracker/ReadLabels.ts"
import * as Sample from "../domain/Sample.ts"
import { places, replaced } from "../intake/Mutations.ts"
import { expecting, noCloud } from "../intake/Delivering.ts"

/** Work over a text that a stranger chose. */
export type Parser = readonly [name: string, work: (text: string) => unknown]

const bytesOf = (text: string) => new TextEncoder().encode(text)

const ran = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromiseExit(effect)

const address = Effect.runSync(
  Effect.provide(ClientAddress, clientAddress).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["TRUST_PROXY", "true"]])))
  )
)

const shared: ReadonlyArray<Parser> = [
  ["a body", (text) => JsonBody.parse(bytesOf(text))],
  ["a text that is stored", (text) => PayloadFields.storable(text, 500)],
  ["a template's field", PayloadFields.filled],
  ["a time", PayloadFields.time],
  ["a time of day one", PayloadFields.epoch],
  ["labels", (text) => PayloadFields.labels({ [text]: text, list: [text] })],
  ["links", (text) => PayloadFields.links({ [text]: text, other: `https://${text.slice(0, 9000)}` })],
  ["a severity", (text) => Severity.read(text)],
  ["a timestamp", Timestamp.parse],
  ["a line", (text) => [Text.oneLine(text), Text.cut(text, 500), Text.parseUrl(text), Text.snakeCase(text)]],
  ["a body without secrets", (text) => redacted({ [text]: text, password: [text] })],
  ["a fingerprint", (text) => ran(Effect.all([keepable(text), fingerprintOf(text, { [text]: text })]))]
]

const policy = Sample.policy({ deniedPaths: [acceptanceFolder, "**/**/**/a", "*a*a*a*b"] })

const paths: ReadonlyArray<Parser> = [
  [
    "a denied path",
    (path) => raisedBy(policy, Sample.run("running"), { type: "path_needed", path, reason: "Because." })
  ]
]

const { drafts: _, oneOf, paging, ...single } = QueryParameters
const queries = Object.entries({ ...single, status: oneOf("status", ["open"]) }) as ReadonlyArray<
  readonly [string, (text: string) => unknown]
>

const http: ReadonlyArray<Parser> = [
  ...queries.map(([name, read]): Parser => [`query ${name}`, read]),
  ["query limit", (text) => paging({ limit: text })],
  ["query string", (text) => [...new URLSearchParams(text)]],
  ["cursor", Cursors.claim],
  ["path", (text) => [allowed(`/${text}`), successorOf(`/${text}`)]],
  ["X-Forwarded-For", (text) => address({ "x-forwarded-for": text }, undefined)],
  ["X-Request-Id", (text) => RequestNotes.begin({ "x-request-id": text })],
  ["If-None-Match", (text) => Responses.resource("{}", { "if-none-match": text })]
]

const proving = ["authorization", "x-service-token", "x-service-signature", "x-service-timestamp"].concat(
  ["x-grafana-alerting-signature", "x-grafana-alerting-timestamp", "x-pagerduty-signature", "x-webhook-id"],
  ["sentry-hook-signature", "request-id", "x-amz-sns-rawdelivery"]
)

const proofs = PostingKind.literals.flatMap((kind): ReadonlyArray<Parser> => {
  const expected = expecting(["secret"])
  const prove = (headers: Record<string, string>, key: string | null, body: string) =>
    ran(
      noCloud(
        tools[kind].proof({ headers, key: key === null ? null : Redacted.make(key), body: bytesOf(body) }, expected)
      )
    )
  const signature = { "x-service-signature": `sha256=${"0".repeat(64)}` }
  return [
    ...proving.map((name): Parser => [
      `${kind} proof ${name}`,
      (text) => prove({ ...signature, [name]: text }, null, "{}")
    ]),
    [`${kind} proof key`, (text) => prove({}, text, "{}")],
    [`${kind} proof body`, (text) => prove({}, "secret", text)]
  ]
})

/** Every value of a tool's body in turn, and the headers that are read. */
const bodies = PostingKind.literals.flatMap((kind): ReadonlyArray<Parser> => {
  const { body, headers = {} } = tools[kind].samples.firing
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const read = (json: unknown) => ran(Effect.suspend(() => tools[kind].decode({ headers: lowered, json })))
  return places(body).flatMap((path): ReadonlyArray<Parser> => {
    const name = `${kind} body ${path.join(".") || "whole"}`
    return [
      [name, (text) => read(replaced(body, path, text))],
      [`${name}, cut up`, (text) => read(replaced(body, path, text.match(/.{1,16}/gsu) ?? []))],
      [
        `${name}, as names`,
        (text) =>
          read(
            replaced(
              body,
              path,
              Object.fromEntries((text.match(/.{1,16}/gsu) ?? []).map((name, at) => [`${at}${name}`, name]))
            )
          )
      ]
    ]
  })
})

const issues: ReadonlyArray<Parser> = [
  ["a description", readIssue],
  ["criteria", (text) => readIssue(`## Acceptance criteria\n${text}`)],
  ["labels", (text) => readLabels([text, `size ${text}`])]
]

const silent = { log: () => Effect.void, error: () => Effect.void }

const typed = (...words: ReadonlyArray<string>) =>
  ran(
    Effect.consoleWith((console) =>
      Cli.run(["node", "main.ts", ...words], Layer.die("no store is opened")).pipe(
        Effect.catchAllCause(explain(true)),
        Effect.withConsole({ ...console, ...silent }),
        Effect.provide(NodeContext.layer)
      )
    )
  )

const cli: ReadonlyArray<Parser> = [
  ["a command", (text) => typed(text)],
  ["a verb", (text) => typed("source", text)],
  ["an option", (text) => typed("source", "list", `--${text}`)],
  ["a value", (text) => typed("source", "list", "--workspace", text, "--as", text)],
  ["a name", (text) => typed("source", "list", "--workspace", "acme", "--as", "a@b", "--name", text)],
  ["an argument", (text) => typed("source", "list", "--workspace", "acme", "--as", "a@b", text)]
]

/** By group, with the bytes of their largest input: a body, a header and a whole query, a file's path, the text of an issue, one argument. */
export const parsers: ReadonlyArray<readonly [group: string, large: number, all: ReadonlyArray<Parser>]> = [
  ["texts", 524_288, shared],
  ["headers, query strings and cursors", 524_288, http],
  ["proofs of every tool", 524_288, proofs],
  ["bodies of every tool", 524_288, bodies],
  ["paths of files", 32_768, paths],
  ["issues of trackers", 98_304, issues],
  ["arguments of the command line", 131_072, cli]
]
