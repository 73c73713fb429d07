import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Effect, FiberMap, Option, Predicate, type Redacted, Stream } from "effect"
import { isNestedDeeper } from "../../../application/oncall/JsonBody.ts"

interface Service {
  /** Address of the MCP server. */
  readonly url: string
  readonly key: Redacted.Redacted
}

type Message = Readonly<Record<string, unknown>>

const versionKey = "io.modelcontextprotocol/protocolVersion"

const parsed = (text: string): Option.Option<unknown> =>
  Option.liftThrowable((line: string): unknown => JSON.parse(line))(text)

const recordAt = (of: Message, key: string): Message => {
  const value = of[key]
  return Predicate.isRecord(value) ? (value as Message) : {}
}

const errorOf = (id: unknown, message: string, code = -32_000): Message => ({
  jsonrpc: "2.0",
  id: id ?? null,
  error: { code, message }
})

/** A header as it is. */
const plain = /^[!-~](?:[ -~]*[!-~])?$/

/** Other texts, and those that look so, are in Base64, as the protocol has it. */
const encoded = (text: string) =>
  plain.test(text) && !text.startsWith("=?base64?") ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`

/** Headers of the newest revision repeat parts of the message; those of older ones name the version agreed on. */
const headersOf = (message: Message, agreed: string | null): Record<string, string> => {
  const params = recordAt(message, "params")
  const version = recordAt(params, "_meta")[versionKey]
  if (typeof version !== "string") return agreed === null ? {} : { "mcp-protocol-version": agreed }
  const method = message["method"]
  const name = params["name"] ?? params["uri"] ?? params["taskId"]
  return {
    ...(plain.test(version) && { "mcp-protocol-version": version }),
    ...(typeof method === "string" && plain.test(method) && { "mcp-method": method }),
    ...(typeof name === "string" && { "mcp-name": encoded(name) })
  }
}

/** The messages in a stream of events. */
const messagesOf = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  bytes.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.filter((line) => line.startsWith("data:")),
    Stream.filterMap((line) => Option.filter(parsed(line.slice(5)), Predicate.isRecord)),
    Stream.map((message) => message as Message)
  )

/** The reason of a refusal, as the service gives it. */
const reasonOf = (status: number, body: string): string => {
  const { message } = recordAt(
    Option.getOrElse(Option.filter(parsed(body), Predicate.isRecord), () => ({})) as Message,
    "error"
  )
  return typeof message === "string" ? message : `The service answered ${status} without a message.`
}

/** The service takes nothing deeper. */
const deepest = 64

/** Time for open requests after the end of the input; a call waits for a decision at most 45 seconds. */
const patience = "60 seconds"

/** Passes the messages of a client's lines to the service, and its answers to `write`; ends after the last answer. */
export const proxy = <E>(service: Service, lines: Stream.Stream<string, E>, write: (message: Message) => void) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const calls = yield* FiberMap.make<string>()
    /** Names of the calls that end with the client alone. */
    const listening = new Set<string>()
    let agreed: string | null = null
    let notes = 0

    const pass = (message: Message) => {
      const version = recordAt(message, "result")["protocolVersion"]
      if (typeof version === "string") agreed = version
      write(message)
    }

    /** Passes the messages of a response on; returns why the request has none, or null when it has one. */
    const answered = (response: HttpClientResponse.HttpClientResponse) =>
      Effect.gen(function* () {
        if ((response.headers["content-type"] ?? "").startsWith("text/event-stream")) {
          let isAnswered = false
          yield* Stream.runForEach(messagesOf(response.stream), (message) =>
            Effect.sync(() => {
              isAnswered ||= !("method" in message)
              pass(message)
            })
          )
          return isAnswered ? null : "The service ended the stream."
        }
        const body = yield* response.text
        const message = Option.getOrElse(parsed(body), () => null)
        if (!Predicate.isRecord(message) || !("jsonrpc" in message)) return reasonOf(response.status, body)
        pass(message as Message)
        return null
      })

    const send = (message: Message) =>
      Effect.gen(function* () {
        const request = HttpClientRequest.post(service.url).pipe(
          HttpClientRequest.bearerToken(service.key),
          HttpClientRequest.setHeaders({
            accept: "application/json, text/event-stream",
            ...headersOf(message, agreed)
          }),
          HttpClientRequest.bodyText(JSON.stringify(message), "application/json")
        )
        const response = yield* client.execute(request)
        const reason = yield* answered(response)
        return response.status === 202 && !isRequest(message) ? null : reason
      }).pipe(
        Effect.scoped,
        Effect.orElseSucceed(() => `The service at ${service.url} does not answer. Check SERVICE_URL.`),
        Effect.flatMap((reason) => {
          if (reason === null) return Effect.void
          return isRequest(message)
            ? Effect.sync(() => pass(errorOf(message["id"], reason)))
            : Effect.logWarning(`a notification was refused: ${reason}`)
        })
      )

    /** True when the client waits for an answer. */
    const isRequest = (message: Message) => message["id"] !== undefined && "method" in message

    const take = (line: string) =>
      Effect.gen(function* () {
        if (line.trim() === "") return
        const found = Option.getOrNull(parsed(line))
        if (!Predicate.isRecord(found)) return write(errorOf(null, "The line is not one JSON-RPC message.", -32_700))
        const message = found as Message
        const { id, method } = message
        if (isNestedDeeper(line, deepest))
          return write(errorOf(id, `The message is nested over ${deepest} deep.`, -32_600))
        const name = isRequest(message) ? JSON.stringify(id) : `note ${++notes}`
        if (FiberMap.unsafeHas(calls, name)) return write(errorOf(id, "A request with this id is open.", -32_600))
        if (method === "notifications/cancelled")
          yield* FiberMap.remove(calls, JSON.stringify(recordAt(message, "params")["requestId"] ?? null))
        if (method === "subscriptions/listen") listening.add(name)
        yield* FiberMap.run(calls, name, send(message))
      })

    yield* Stream.runForEach(lines, take)
    yield* Effect.forEach(listening, (name) => FiberMap.remove(calls, name))
    yield* Effect.timeoutOption(FiberMap.awaitEmpty(calls), patience)
  }).pipe(Effect.scoped)
