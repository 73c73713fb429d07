import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Effect, FiberMap, Option, Predicate, type Redacted, Stream } from "effect"

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

/** Headers of the newest revision repeat parts of the message; those of older ones name the version agreed on. */
const headersOf = (message: Message, agreed: string | null): Record<string, string> => {
  const params = recordAt(message, "params")
  const version = recordAt(params, "_meta")[versionKey]
  if (typeof version !== "string") return agreed === null ? {} : { "mcp-protocol-version": agreed }
  const name = params["name"] ?? params["uri"]
  return {
    "mcp-protocol-version": version,
    "mcp-method": String(message["method"]),
    ...(typeof name === "string" && { "mcp-name": name })
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

/** A refusal of the service is an error of the request; one without an id is only logged. */
const refusalOf = (id: unknown, status: number, body: string): Message => {
  const error = recordAt(Option.getOrElse(parsed(body), () => ({})) as Message, "error")
  return errorOf(id, typeof error["message"] === "string" ? error["message"] : `The service answered ${status}.`)
}

/** Passes the messages of a client's lines to the service, and its answers to `write`; ends after the last answer. */
export const proxy = <E>(service: Service, lines: Stream.Stream<string, E>, write: (message: Message) => void) =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const calls = yield* FiberMap.make<string>()
    let agreed: string | null = null
    let notes = 0

    const pass = (message: Message) => {
      const version = recordAt(message, "result")["protocolVersion"]
      if (typeof version === "string") agreed = version
      write(message)
    }

    const answered = (id: unknown, response: HttpClientResponse.HttpClientResponse) =>
      Effect.gen(function* () {
        if ((response.headers["content-type"] ?? "").startsWith("text/event-stream"))
          return yield* Stream.runForEach(messagesOf(response.stream), (message) => Effect.sync(() => pass(message)))
        const body = yield* response.text
        const message = Option.getOrElse(parsed(body), () => null)
        if (Predicate.isRecord(message) && "jsonrpc" in message) return pass(message as Message)
        if (response.status < 300) return
        const refusal = refusalOf(id, response.status, body)
        if (id === undefined)
          yield* Effect.logWarning(`a notification was refused: ${JSON.stringify(refusal["error"])}`)
        else pass(refusal)
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
        yield* answered(message["id"], yield* client.execute(request))
      }).pipe(
        Effect.scoped,
        Effect.catchAll(() =>
          Effect.sync(() => {
            if (message["id"] !== undefined)
              pass(errorOf(message["id"], `The service at ${service.url} does not answer. Check SERVICE_URL.`))
          })
        )
      )

    const nameOf = (id: unknown) => JSON.stringify(id)

    const take = (line: string) =>
      Effect.gen(function* () {
        if (line.trim() === "") return
        const message = Option.getOrNull(parsed(line))
        if (!Predicate.isRecord(message)) return write(errorOf(null, "The line is not one JSON-RPC message.", -32_700))
        const { id, method } = message as Message
        if (method === "notifications/cancelled")
          yield* FiberMap.remove(calls, nameOf(recordAt(message as Message, "params")["requestId"]))
        yield* FiberMap.run(calls, id === undefined ? `note ${++notes}` : nameOf(id), send(message as Message))
      })

    yield* Stream.runForEach(lines, take)
    yield* FiberMap.awaitEmpty(calls)
  }).pipe(Effect.scoped)
