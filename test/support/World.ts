import { HttpServer } from "@effect/platform"
import { ConfigProvider, Effect, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { request as send } from "node:http"
import type * as Memory from "../../adapters/memory/Memory.ts"
import * as LocalCodeHost from "../../adapters/localgit/LocalCodeHost.ts"
import * as Tools from "../../adapters/alerting/Tools.ts"
import * as Sealing from "../../application/secrets/Sealing.ts"
import { Signature } from "../../domain/value/Signature.ts"
import * as NodeServer from "../../adapters/http/server/NodeServer.ts"
import * as Server from "../../adapters/http/Server.ts"
import type { AlertTools } from "../../application/ports/AlertTools.ts"
import { type Letter, type Notifier, Notifiers } from "../../application/ports/Notifier.ts"
import * as WebAuthnVerifier from "../../adapters/webauthn/WebAuthnVerifier.ts"
import * as OpenIdConnect from "../../adapters/openid/OpenIdConnect.ts"
import { CloudPages, PageUnreachable } from "../../application/ports/CloudPages.ts"
import { SecretKey } from "../../application/secrets/SecretKey.ts"
import { places } from "./Equipment.ts"

/** Every port of the stores. */
export type Stores = Layer.Layer.Success<typeof Memory.layer>

/** A running service: its address, and its stores to prepare a test's data. */
export interface World {
  readonly url: string
  readonly run: <A, E>(effect: Effect.Effect<A, E, Stores | AlertTools | Sealing.Sealing>) => Promise<A>
  readonly close: () => Promise<void>
}

const key = Layer.succeed(SecretKey, Redacted.make(new Uint8Array(32).fill(7)))

/** No external host is reachable. */
const nowhere = Layer.succeed(CloudPages, {
  get: (address) => new PageUnreachable({ host: new URL(address).host, problem: "tests stay at home" })
})

/** The service in this process on a free port. */
export const start = async <E>(
  stores: Layer.Layer<Stores, E>,
  settings: Readonly<Record<string, string>> = {},
  extra: Layer.Layer<never> = Layer.empty,
  mail: Notifier<Letter> | null = null
): Promise<World> => {
  const config = ConfigProvider.fromMap(new Map(Object.entries({ PORT: "0", HOST: "127.0.0.1", ...settings })))
  const quiet = Logger.remove(Logger.defaultLogger)
  const notifiers = Layer.succeed(Notifiers, { mail, places: places(() => ({ send: () => Effect.void })) })
  const service = Server.api.pipe(
    Layer.provideMerge(NodeServer.layer),
    Layer.provide(Server.hotPath),
    Layer.provideMerge(Layer.merge(Sealing.layer, Tools.layer)),
    Layer.provide([Signature.Default, nowhere, notifiers, WebAuthnVerifier.layer, LocalCodeHost.layer]),
    Layer.provide(OpenIdConnect.layer),
    Layer.provide(key),
    Layer.provideMerge(stores),
    Layer.provide([Layer.setConfigProvider(config), quiet, extra])
  )
  const runtime = ManagedRuntime.make(service)
  const address = await runtime.runPromise(Effect.map(HttpServer.HttpServer, (server) => server.address))
  if (address._tag !== "TcpAddress") throw new TypeError("the server has no port")
  return {
    url: `http://127.0.0.1:${address.port}`,
    run: (effect) => runtime.runPromise(effect),
    close: () => runtime.dispose()
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** One request as a client sends it, headers and path untouched. */
export const ask = (
  url: string,
  path: string,
  {
    body,
    headers = {},
    localAddress,
    method = "GET",
    token
  }: {
    readonly method?: string
    readonly token?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string | Buffer
    /** Source address of the request. */
    readonly localAddress?: string
  } = {}
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const all = token === undefined ? headers : { authorization: `Bearer ${token}`, ...headers }
    const from = localAddress === undefined ? {} : { localAddress }
    const options = { hostname, port, path, method, headers: all, agent: false, timeout: 60_000, ...from }
    const request = send(options, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8")
        const isJson = response.headers["content-type"]?.startsWith("application/json") === true
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Answer["headers"],
          text,
          body: isJson && text !== "" ? JSON.parse(text) : undefined
        })
      })
    })
    request.on("error", reject)
    request.on("timeout", () => request.destroy(new Error("no answer within 60 s")))
    request.end(body)
  })

/** Answers within one minute of the rate limit: sends again, with a token of its own, when another minute began between. */
export const withinOneMinute = async (send: () => Promise<ReadonlyArray<Answer>>): Promise<ReadonlyArray<Answer>> => {
  const answers = await send()
  const minutes = new Set(answers.map(({ headers }) => headers["x-ratelimit-reset"]))
  return minutes.size === 1 ? answers : withinOneMinute(send)
}
