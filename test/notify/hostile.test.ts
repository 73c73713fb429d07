import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { EventEmitter } from "node:events"
import type { ClientRequest } from "node:http"
import { parseRange } from "../../adapters/outgoing/AllowedAddresses.ts"
import * as OutgoingHttp from "../../adapters/outgoing/OutgoingHttp.ts"
import { hostile, names } from "./hostileUrls.ts"
import { listening } from "./WebServer.ts"

type Rules = Parameters<typeof OutgoingHttp.make>[0]

const rows = Object.entries(hostile).flatMap(([kind, urls]) => urls.map((url) => [kind, url] as const))

const resolving = (others: ReadonlyArray<string>) => (name: string) =>
  Promise.resolve((names[name] ?? others).map((address) => ({ address })))

const get = (rules: Rules, url: string) => OutgoingHttp.make(rules).send({ method: "GET", url })

/** Records the target of a connection, and makes none. */
const noting = () => {
  const connected: Array<Parameters<NonNullable<Rules["connect"]>>[0]> = []
  const connect: NonNullable<Rules["connect"]> = (options) => {
    connected.push(options)
    const request = new EventEmitter()
    const end = () => request.emit("error", Object.assign(new Error("noted"), { code: "NOTED" }))
    return Object.assign(request, { end }) as unknown as ClientRequest
  }
  return { connected, connect }
}

it("the corpus is large", () => assert.isAbove(new Set(rows.map(([, url]) => url)).size, 150))

describe.each([true, false])("with http allowed: %s", (isHttpAllowed) => {
  it.live.each(rows)("an address %s makes no connection: %j", ([, url]) =>
    Effect.gen(function* () {
      const { connect, connected } = noting()
      const lookup = resolving(["93.184.215.14"])
      const unreachable = yield* Effect.flip(
        get({ lookup, connect, allowed: [], isHttpAllowed }, url.replaceAll("{port}", "8080"))
      )
      assert.isTrue(unreachable.isForbidden, unreachable.message)
      assert.deepStrictEqual(connected, [])
    })
  )

  it.scopedLive("no address of the corpus reaches a server of this machine", () =>
    Effect.gen(function* () {
      const { connections, port } = yield* listening((_, response) => void response.end())
      const rules = { lookup: resolving(["127.0.0.1"]), allowed: [], isHttpAllowed }
      const answers = yield* Effect.forEach(
        rows,
        ([, url]) => Effect.flip(get(rules, url.replaceAll("{port}", String(port)))),
        { concurrency: 8 }
      )
      assert.isTrue(answers.every(({ isForbidden }) => isForbidden))
      assert.strictEqual(connections(), 0)
    })
  )
})

it.live("http is refused where it is not allowed", () =>
  Effect.gen(function* () {
    const { connect, connected } = noting()
    const lookup = resolving(["93.184.215.14"])
    const refused = yield* Effect.flip(
      get({ lookup, connect, allowed: [], isHttpAllowed: false }, "http://hooks.example.test/")
    )
    assert.isTrue(refused.isForbidden)
    assert.include(refused.problem, "https://")
    assert.lengthOf(connected, 0)
  })
)

it.live("a name that resolves anew at every look is looked up once, and gets what was checked", () =>
  Effect.gen(function* () {
    const { connect, connected } = noting()
    let looks = 0
    const lookup = () => Promise.resolve([{ address: ++looks === 1 ? "93.184.215.14" : "127.0.0.1" }])
    yield* Effect.flip(get({ lookup, connect, allowed: [], isHttpAllowed: false }, "https://rebind.example.test/"))
    assert.strictEqual(looks, 1)
    assert.deepStrictEqual(
      connected.map(({ host, servername }) => [host, servername]),
      [["93.184.215.14", "rebind.example.test"]]
    )
  })
)

it.scopedLive("a redirect to this machine is an answer, and is not followed", () =>
  Effect.gen(function* () {
    const inner = yield* listening((_, response) => void response.end("s3cret"), "127.0.0.2")
    const location = `http://127.0.0.2:${inner.port}/`
    for (const status of [301, 302, 303, 307, 308]) {
      const outer = yield* listening((_, response) => void response.writeHead(status, { location }).end())
      const allowed = Option.toArray(parseRange("127.0.0.1/32"))
      const answer = yield* get({ allowed, isHttpAllowed: true }, `http://127.0.0.1:${outer.port}/`)
      assert.deepStrictEqual([answer.status, answer.headers["location"]], [status, location])
      assert.strictEqual(outer.connections(), 1)
    }
    assert.strictEqual(inner.connections(), 0)
  })
)

describe("a public address is connected to at what it resolves to", () => {
  const both = ["93.184.215.14", "2606:4700:4700::1111"]
  it.live.each([
    ["https://hooks.example.test/a/b?c=d#e", both, "93.184.215.14", 443, "/a/b?c=d", "hooks.example.test"],
    ["https://hooks.example.test:8443/", both, "93.184.215.14", 8443, "/", "hooks.example.test:8443"],
    ["HTTPS://Hooks.Example.Test", both, "93.184.215.14", 443, "/", "hooks.example.test"],
    ["http://hooks.example.test/x", both, "93.184.215.14", 80, "/x", "hooks.example.test"],
    ["http://hooks.example.test:443/x", both, "93.184.215.14", 443, "/x", "hooks.example.test:443"],
    ["https://hooks.example.test./x", both, "93.184.215.14", 443, "/x", "hooks.example.test."],
    ["https://bücher.example.test/ü?ü", both, "93.184.215.14", 443, "/%C3%BC?%C3%BC", "xn--bcher-kva.example.test"],
    ["https://six.example.test/", ["2606:4700::1"], "2606:4700::1", 443, "/", "six.example.test"],
    ["https://internal.example.test/", both, "93.184.215.14", 443, "/", "internal.example.test"],
    ["https://localhost.example.test/", both, "93.184.215.14", 443, "/", "localhost.example.test"],
    ["https://1.1.1.1/", [], "1.1.1.1", 443, "/", "1.1.1.1"],
    ["https://[2606:4700:4700::1111]:8443/", [], "2606:4700:4700::1111", 8443, "/", "[2606:4700:4700::1111]:8443"],
    ["https://0x08080808/", [], "8.8.8.8", 443, "/", "8.8.8.8"],
    ["https://172.15.0.1/", [], "172.15.0.1", 443, "/", "172.15.0.1"],
    ["https://172.32.0.1/", [], "172.32.0.1", 443, "/", "172.32.0.1"],
    ["https://100.63.255.255/", [], "100.63.255.255", 443, "/", "100.63.255.255"],
    ["https://168.63.129.17/", [], "168.63.129.17", 443, "/", "168.63.129.17"]
  ] as const)("%s", ([url, addresses, host, port, path, name]) =>
    Effect.gen(function* () {
      const { connect, connected } = noting()
      const looked: Array<string> = []
      const lookup = (asked: string) => {
        looked.push(asked)
        return resolving(addresses)(asked)
      }
      const noted = yield* Effect.flip(get({ lookup, connect, allowed: [], isHttpAllowed: true }, url))
      assert.include(noted.problem, "NOTED")
      const [options] = connected
      assert.lengthOf(connected, 1)
      assert.deepInclude(options, { host, port, path, agent: false, headers: { host: name } })
      assert.lengthOf(looked, addresses.length === 0 ? 0 : 1)
      const servername = addresses.length === 0 ? undefined : new URL(url).hostname.replace(/\.$/, "")
      assert.strictEqual(options?.servername, servername)
    })
  )
})
