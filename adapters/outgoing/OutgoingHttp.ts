import { Config, type Context, Duration, Effect, Layer } from "effect"
import type * as http from "node:http"
import type * as https from "node:https"
import { isIP } from "node:net"
import { Outgoing, type Request, type Response, Unreachable } from "../../application/ports/Outgoing.ts"
import * as Settings from "../Settings.ts"
import * as AllowedAddresses from "./AllowedAddresses.ts"
import { parseUrl } from "../../domain/value/Text.ts"

type Lookup = (host: string) => Promise<ReadonlyArray<{ readonly address: string }>>

/** Node's own request function, which follows no redirect. */
type Connect = (options: https.RequestOptions, answer: (response: http.IncomingMessage) => void) => http.ClientRequest

interface Rules {
  readonly lookup?: Lookup
  readonly connect?: Connect
  readonly allowed: ReadonlyArray<AllowedAddresses.Range>
  readonly isHttpAllowed: boolean
}

const mostByDefault = 65_536

const problems: Readonly<Record<string, string>> = {
  ENOTFOUND: "its name is not known",
  EAI_AGAIN: "its name cannot be looked up now",
  ECONNREFUSED: "it refused the connection",
  ECONNRESET: "it closed the connection",
  ENETUNREACH: "there is no way to it",
  EHOSTUNREACH: "there is no way to it",
  ETIMEDOUT: "it did not answer"
}

/** Codes of failures before anything was sent, so another address of the host may be tried. */
const unsent = new Set(["ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "EADDRNOTAVAIL"])

/** Error messages may hold the whole address, so only codes are returned. */
const codeOf = (cause: unknown): string => {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined
  return typeof code === "string" ? code : "unknown"
}

const headersOf = ({ headers }: http.IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value?.toString()]))

const exchange = (connect: Connect, options: https.RequestOptions, { body, most = mostByDefault }: Request) =>
  Effect.async<Response, string>((resume, signal) => {
    const fail = (cause: unknown) => resume(Effect.fail(codeOf(cause)))
    let isAnswered = false
    const request = connect({ ...options, signal }, (response) => {
      isAnswered = true
      const chunks: Array<Buffer> = []
      let size = 0
      const finish = () => {
        const text = Buffer.concat(chunks).subarray(0, most).toString("utf8")
        resume(Effect.succeed({ status: response.statusCode ?? 0, headers: headersOf(response), body: text }))
      }
      response.on("error", fail)
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size < most) return
        finish()
        response.destroy()
      })
      response.on("end", finish)
    })
    request.on("error", fail)
    request.on("close", () => isAnswered || resume(Effect.fail("ECONNRESET")))
    request.end(body)
  })

/** The first header that cannot be sent as it is. */
const invalidHeader = (headers: Request["headers"]) =>
  Object.entries(headers ?? {}).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value))?.[0]

const byName: Lookup = async (host) => (await import("node:dns/promises")).lookup(host, { all: true })

/** Loaded by the first request: a command that sends none starts 15 ms sooner. */
const byNode = Effect.promise(async (): Promise<Connect> => {
  const [plain, secure] = await Promise.all([import("node:http"), import("node:https")])
  return (options, answer) => (options.protocol === "http:" ? plain : secure).request(options, answer)
})

/** Resolves the name once and connects to exactly the checked address. */
export const make = (rules: Rules): Context.Tag.Service<typeof Outgoing> => {
  const { allowed, isHttpAllowed, lookup = byName } = rules

  const exchangeAt = (
    connect: Connect,
    url: URL,
    request: Request,
    addresses: ReadonlyArray<string>
  ): Effect.Effect<Response, string> => {
    const [host, ...others] = addresses
    const name = AllowedAddresses.bare(url).replace(/\.$/, "")
    const options: https.RequestOptions = {
      protocol: url.protocol,
      method: request.method,
      host,
      port: url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port),
      path: `${url.pathname}${url.search}`,
      headers: { ...request.headers, host: url.host },
      agent: false,
      ...(isIP(name) === 0 ? { servername: name } : {})
    }
    return Effect.catchIf(
      exchange(connect, options, request),
      (code) => others.length > 0 && unsent.has(code),
      () => exchangeAt(connect, url, request, others)
    )
  }

  const send = Effect.fn("OutgoingHttp.send")(function* (request: Request) {
    const given = parseUrl(request.url)?.host.slice(0, 260) ?? ""
    const host = given === "" ? "the address" : given
    const refused = (problem: string) => new Unreachable({ host, problem, isForbidden: true })
    const failed = (problem: string) => new Unreachable({ host, problem, isForbidden: false })
    const failedBy = (code: string) => failed(problems[code] ?? `the connection failed (${code})`)
    const notPublic = () => refused("it is not a public address; OUTGOING_ALLOW lists what may be reached besides")

    const url = yield* Effect.mapError(AllowedAddresses.read(request.url, isHttpAllowed), refused)
    const header = invalidHeader(request.headers)
    if (header !== undefined) return yield* refused(`the header ${header} holds a character that no header may have`)
    const within = request.within ?? Duration.seconds(10)
    const name = AllowedAddresses.bare(url)
    if (AllowedAddresses.isClosed(name, allowed)) return yield* notPublic()

    return yield* Effect.gen(function* () {
      const found =
        isIP(name) === 0
          ? yield* Effect.tryPromise({ try: () => lookup(name), catch: (cause) => failedBy(codeOf(cause)) })
          : [{ address: name }]
      const addresses = found.map(({ address }) => address)
      if (addresses.length === 0) return yield* failedBy("ENOTFOUND")
      if (!addresses.every((address) => AllowedAddresses.isOpen(name, address, allowed))) return yield* notPublic()
      const connect = rules.connect ?? (yield* byNode)
      return yield* Effect.mapError(exchangeAt(connect, url, request, addresses), failedBy)
    }).pipe(
      Effect.timeoutFail({
        duration: within,
        onTimeout: () => failed(`it did not answer within ${Duration.toSeconds(within)} s`)
      })
    )
  })

  return { send }
}

export const layer = Layer.effect(
  Outgoing,
  Effect.map(Config.all({ allowed: Settings.outgoingAllow, isHttpAllowed: Settings.outgoingHttp }), make)
)
