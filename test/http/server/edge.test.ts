import { Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Memory from "../../../adapters/memory/Memory.ts"
import { Health, Unavailable } from "../../../application/ports/Health.ts"
import * as Broken from "../../support/Broken.ts"
import { long } from "../../support/Long.ts"
import { linger, raw, stay, vanish } from "../../support/Raw.ts"
import * as Seed from "../../support/Seed.ts"
import { signed, source } from "../../support/Source.ts"
import { ask, start, type World } from "../../support/World.ts"

describe.concurrent("the edge", () => {
  let world: World
  beforeAll(async () => {
    world = await start(Memory.layer)
  })
  afterAll(() => world.close())

  it.each([
    ["nonsense", "NONSENSE\r\n\r\n", "400 Bad Request"],
    [
      "headers over 16 KB",
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
      "431 Request Header Fields Too Large"
    ],
    [
      "a lying transfer encoding",
      "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nzzz\r\n",
      "400 Bad Request"
    ]
  ])("answers %s in the shape of every error", async (_, bytes, status) => {
    const answer = await raw(world.url, bytes)
    assert.include(answer, `HTTP/1.1 ${status}`)
    for (const header of [
      "x-ratelimit-limit: 120",
      "x-ratelimit-remaining: 120",
      "x-ratelimit-reset: ",
      "x-request-id: "
    ])
      assert.include(answer.toLowerCase(), header)
    const body = JSON.parse(answer.slice(answer.lastIndexOf("\r\n\r\n"))) as { error: object }
    assert.deepStrictEqual(Object.keys(body.error), ["code", "message"])
  })

  it("answers a request without Host like any other", async () => {
    const answer = await raw(world.url, "GET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert.include(answer, "HTTP/1.1 404 Not Found")
    assert.include(answer, "route_not_found")
  })

  it("takes a target in absolute form, and answers whatever is expected of it", async () => {
    const absolute = await raw(world.url, "GET http://x/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert.include(absolute, "HTTP/1.1 200 OK")
    const expecting = await raw(
      world.url,
      "GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nConnection: close\r\n\r\n"
    )
    assert.include(expecting, "HTTP/1.1 200 OK")
    const connecting = await raw(world.url, "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert.include(connecting, "HTTP/1.1 400 Bad Request")
    assert.include(connecting, "x-ratelimit-limit: 120")
  })

  it.each(["h2c", "websocket"])("answers a client that would rather speak %s like any other", async (protocol) => {
    const { path, secret } = await world.run(source())
    const alert = '{"title":"Down"}'
    const asking = `HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: ${protocol}\r\n`
    const proof = `x-service-signature: ${signed(secret, alert)["x-service-signature"]}\r\n`
    const taken = await raw(world.url, `POST ${path} ${asking}${proof}content-length: ${alert.length}\r\n\r\n${alert}`)
    assert.match(taken, /^HTTP\/1\.1 202 [^]*\r\nconnection: close\r\n/i)
    assert.match(await raw(world.url, `GET /nowhere ${asking}\r\n`), /^HTTP\/1\.1 404 [^]*\r\nconnection: close\r\n/i)
  })

  it.each([
    "GET /v1/teams HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: h2c\r\n\r\n",
    "CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n",
    "GET / HTTP/1.1\r\nnonsense\r\n\r\n"
  ])("outlives clients that ask %j and are gone", async (bytes) => {
    for (let client = 0; client < 20; client++) await vanish(world.url, bytes)
    assert.strictEqual((await ask(world.url, "/healthz")).status, 200)
  })

  it.each([
    ["Authorization", `Bearer${" ".repeat(15_000)}\xa0`, 401],
    ["Content-Type", `application/json${" ".repeat(15_000)}x`, 415]
  ])("refuses an %s of blanks", async (name, value, status) => {
    const { slug } = await world.run(Seed.workspace)
    const token = (await world.run(Seed.token(slug, ["write"]))).value
    const sent = { method: "POST", token, body: "{}", headers: { [name.toLowerCase()]: value } }
    assert.strictEqual((await ask(world.url, "/v1/decisions/dec-aaaa/resolve", sent)).status, status)
  })

  long(() => {
    it.concurrent.each(["CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n", "NONSENSE\r\n\r\n"])(
      "hangs up on clients that ask %j and stay",
      async (bytes) => {
        assert.match(await stay(world.url, bytes), /^HTTP\/1\.1 400 /)
      }
    )
  })

  long(() =>
    it("cuts off a client that never finishes its headers", async () => {
      const answer = await raw(world.url, "GET / HTTP/1.1\r\nHost: x\r\n")
      assert.include(answer, "HTTP/1.1 408 Request Timeout")
      assert.include(answer, '"error"')
    })
  )
})

it("hangs up on connections beyond the limit, and takes others once there is room", async () => {
  const world = await start(Memory.layer, { MAX_CONNECTIONS: "2" })
  try {
    const [first, second] = [await linger(world.url), await linger(world.url)]
    const refused = await ask(world.url, "/healthz").catch(() => null)
    assert.isNull(refused)
    const isGone = new Promise((resolve) => first?.on("close", resolve))
    first?.end()
    await isGone
    assert.strictEqual((await ask(world.url, "/healthz")).status, 200)
    second?.destroy()
  } finally {
    await world.close()
  }
})

long(() =>
  it.concurrent.each([
    ["never finishes its request", raw, "GET /healthz HTTP/1.1\r\nHost: x\r\n"],
    ["never hangs up", stay, "CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n"]
  ])("a stop does not wait for ever for a client that %s", async (_, send, bytes) => {
    const world = await start(Memory.layer)
    const slow = send(world.url, bytes)
    await ask(world.url, "/healthz")
    await world.close()
    await slow
  })
)

describe("when storage breaks", () => {
  const secret = "postgres://user:s3cret@db"
  const brokenTeams = (defect: unknown) =>
    Layer.mergeAll(
      Broken.teamStore(defect),
      Broken.polling(defect),
      Layer.succeed(Health, { ready: new Unavailable() })
    )
  const withBroken = async (defect: unknown, check: (world: World, token: string) => Promise<void>) => {
    const world = await start(Layer.merge(Memory.layer, brokenTeams(defect)))
    try {
      const { slug } = await world.run(Seed.workspace)
      await check(world, (await world.run(Seed.token(slug))).value)
    } finally {
      await world.close()
    }
  }

  it("a defect is a 500 that names the request and nothing else", () =>
    withBroken(new Error(secret), async (world, token) => {
      const answer = await ask(world.url, "/v1/teams", { token, headers: { "x-request-id": "req-1" } })
      assert.deepStrictEqual([answer.status, answer.body.error.code], [500, "internal_error"])
      assert.include(answer.body.error.message, "req-1")
      assert.isFalse(answer.text.includes("s3cret"))
      // A token that was not looked up was not counted either.
      assert.strictEqual(answer.headers["x-ratelimit-remaining"], "120")
      const counted = await ask(world.url, "/v1/teams/x", { token })
      assert.deepStrictEqual([counted.status, counted.headers["x-ratelimit-remaining"]], [500, "119"])
    }))

  it("a database that is away is a 503 with Retry-After, also on /readyz, while /healthz stays up", () =>
    withBroken(new Unavailable(), async (world, token) => {
      for (const answer of [await ask(world.url, "/v1/teams", { token }), await ask(world.url, "/readyz")]) {
        assert.deepStrictEqual([answer.status, answer.body.error.code], [503, "unavailable"])
        assert.strictEqual(answer.headers["retry-after"], "1")
      }
      assert.strictEqual((await ask(world.url, "/healthz")).status, 200)
    }))
})
