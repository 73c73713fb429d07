import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { Agent, get } from "node:http"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import * as Embedded from "../../adapters/postgres/embedded/Embedded.ts"
import { eventually, type Program, readyAddressOf, type Settings, workshop } from "../support/Process.ts"
import { ask } from "../support/World.ts"
import * as Prepared from "../support/Prepared.ts"
import { long } from "../support/Long.ts"

let shop: ReturnType<typeof workshop>
beforeAll(() => {
  shop = workshop()
  vi.stubEnv("TMPDIR", shop.base)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await shop.close()
})

interface Service extends Program {
  readonly url: string
  /** The printed demo token, if any. */
  readonly token: string | undefined
}

const opened = async (program: Program): Promise<Service> => {
  // Ready only after all of the greeting was written.
  const url = await readyAddressOf(program)
  return { ...program, url, token: /\btk_[A-Za-z0-9]{32}\b/.exec(program.out())?.[0] }
}

const start = (settings: Settings) => opened(shop.node({ PORT: "0", ...settings }))

const npm = () => ({ HOME: shop.base, npm_config_update_notifier: "false" })

const printed = async (program: Program) => {
  const { code, err, out } = await program.ended()
  assert.deepStrictEqual([code, err], [0, ""])
  return JSON.parse(out)
}

const command = (settings: Settings, ...words: ReadonlyArray<string>) =>
  printed(shop.node(settings, ...words, "--json"))

const stop = async (service: Service) => {
  service.signal("SIGTERM")
  assert.strictEqual((await service.ended()).code, 0, service.err())
}

const teams = async (url: string, token: string) => {
  const { body, status } = await ask(url, "/v1/teams", { token })
  return status === 200 ? body.data.map((team: { slug: string }) => team.slug).toSorted() : status
}
const demoTeams = ["payments", "platform", "storefront"]
const owner = ["--workspace", "demo", "--member", "owner@demo.test"]
const create = ["token", "create", ...owner, "--permissions", "read", "--expires", "30d"]

/** Queries the embedded server of a folder directly; joins it, or starts it for the query. */
const query = (dataDir: string, text: string) =>
  Effect.gen(function* () {
    const server = yield* Embedded.acquire(dataDir)
    const rows = yield* Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Record<string, unknown>>(text)).pipe(
      Effect.provide(PgClient.layer({ ...server, maxConnections: 1 }))
    )
    return { rows, sockets: server.host }
  }).pipe(Effect.scoped, Effect.runPromise)

const hasCurl = spawnSync("curl", ["--version"]).status === 0

/** Runs a printed line as it stands, or, where curl is missing, sends the same request. */
const paste = async (line = "") => {
  if (hasCurl) return spawnSync("sh", ["-c", line], { encoding: "utf8" }).stdout
  const [token = "", address = ""] = [/Bearer ([^']+)/, /(http[^\s']+)'?$/].map((part) => part.exec(line)?.[1])
  const { origin, pathname, search } = new URL(address)
  const body = /-d '([^']+)'/.exec(line)?.[1]
  const posted = body === undefined ? {} : { method: "POST", body, headers: { "content-type": "application/json" } }
  return (await ask(origin, `${pathname}${search}`, { token, ...posted })).text
}

describe("a service in one folder, from its first start on", () => {
  let dataDir = ""
  let first: Service
  /** Started in the long form alone. */
  let second: Service | undefined
  let token = ""

  beforeAll(async () => {
    dataDir = shop.folder()
    first = await opened(shop.launch("npm", ["start"], { ...npm(), DATA_DIR: dataDir, PORT: "0" }))
    token = first.token ?? ""
  })

  it("npm start tells the address, where data lives, the demo and its token", () => {
    assert.match(first.out(), /^Gatehouse is at http:\/\/localhost:\d+ \(docs: http:\/\/localhost:\d+\/docs\)$/m)
    const [, place = ""] = /^Data lives in (\/.*)$/m.exec(first.out()) ?? []
    assert.isTrue(existsSync(join(place, "PG_VERSION")), place)
    assert.include(first.out(), "The demo workspace was created. Its token, shown this once:")
    assert.match(token, /^tk_[A-Za-z0-9]{32}$/)
    assert.strictEqual(first.err(), "")
  })

  it("the printed curl commands work when pasted", async () => {
    const lines = first.out().match(/^ +curl .*$/gm) ?? []
    assert.strictEqual(lines.length, 3)
    const [all, pending, answered] = [await paste(lines[0]), await paste(lines[1]), await paste(lines[2])]
    assert.deepStrictEqual(
      JSON.parse(all ?? "")
        .data.map((team: { slug: string }) => team.slug)
        .toSorted(),
      demoTeams
    )
    const { data } = JSON.parse(pending ?? "")
    assert.strictEqual(data.length, 3)
    for (const { status } of data) assert.strictEqual(status, "pending")
    const { effects, resolvedVia } = JSON.parse(answered)
    assert.strictEqual(resolvedVia, "api")
    assert.deepStrictEqual(
      effects.map(({ status, type }: { status: string; type: string }) => [type, status]),
      [
        ["pull_request_merged", "queued"],
        ["run_resumed", "done"]
      ]
    )
  })

  it("its own folder holds a secret key that only its user can read", () => {
    assert.strictEqual(Buffer.from(readFileSync(join(dataDir, "secret-key"), "utf8"), "base64").length, 32)
    assert.strictEqual(statSync(join(dataDir, "secret-key")).mode & 0o777, 0o600)
  })

  long(() => {
    it("a port that is taken is told with the way out, and leaves no Postgres behind", async () => {
      const other = Prepared.fill(shop.folder())
      const { port } = new URL(first.url)
      const { code, err, out } = await shop.node({ DATA_DIR: other, PORT: port, DEMO: "off" }).ended()
      assert.strictEqual(code, 1)
      assert.strictEqual(out, "")
      assert.match(err, new RegExp(`^Port ${port} on 127.0.0.1 is taken by another program. Choose another: PORT=\\d+`))
      await shop.nothingLeft(other)
    })
  })

  it("a command joins the running server, and its token works at once", async () => {
    const made = await command({ DATA_DIR: dataDir }, ...create, "--name", "ci")
    assert.deepStrictEqual(await teams(first.url, made.token), demoTeams)
  })

  long(() => {
    it("a command runs by its script, and a token that another one revokes is refused at once", async () => {
      const made = await printed(
        shop.launch("./gatehouse", [...create, "--name", "script", "--json"], { DATA_DIR: dataDir })
      )
      assert.deepStrictEqual(await teams(first.url, made.token), demoTeams)
      await command({ DATA_DIR: dataDir }, "token", "revoke", "--workspace", "demo", "--prefix", made.prefix)
      assert.strictEqual(await teams(first.url, made.token), 401)
    })

    it("with DATABASE_URL it starts empty, and only with a SECRET_KEY", async () => {
      const { sockets } = await query(dataDir, "CREATE DATABASE external")
      const DATABASE_URL = `postgres://gatehouse@localhost/external?host=${encodeURIComponent(sockets)}`
      const unused = shop.folder()
      const refused = await shop.node({ DATABASE_URL, DATA_DIR: unused }).ended()
      assert.strictEqual(refused.code, 1)
      assert.match(refused.err, /^SECRET_KEY is required with DATABASE_URL: 32 bytes in base64\./)

      const SECRET_KEY = Buffer.alloc(32, 7).toString("base64")
      const service = await start({ DATABASE_URL, SECRET_KEY, DATA_DIR: unused })
      assert.include(service.out(), "Data lives in the database localhost:5432/external\n")
      assert.isUndefined(service.token)
      assert.strictEqual(await teams(service.url, token), 401)
      const slug = ["--slug", "acme", "--name", "Acme", "--owner-email", "o@acme.test", "--owner-name", "O"]
      assert.strictEqual((await command({ DATABASE_URL }, "workspace", "create", ...slug)).slug, "acme")
      await stop(service)
      assert.isFalse(existsSync(unused))
    })
  })

  long(() => {
    it("a second service in the folder works beside it, and neither needs the other", async () => {
      second = await start({ DATA_DIR: dataDir })
      assert.notStrictEqual(second.url, first.url)
      assert.isUndefined(second.token)
      for (const { url } of [first, second]) assert.deepStrictEqual(await teams(url, token), demoTeams)
    })
  })

  it("a SIGTERM to npm alone, as a supervisor sends it, ends the service and its Postgres", async () => {
    process.kill(first.pid, "SIGTERM")
    await shop.gone(first)
    if (second !== undefined) {
      assert.deepStrictEqual(await teams(second.url, token), demoTeams)
      await stop(second)
    }
    await shop.nothingLeft(dataDir)
    assert.isTrue(existsSync("dist/gatehouse.cache"), "the compiled code for the next start")
  })

  long(() => {
    it("a command starts the server for as long as it needs it", async () => {
      const { data } = await command({ DATA_DIR: dataDir }, "token", "list", ...owner)
      const valid = data.filter(({ revokedAt }: { revokedAt: string | null }) => revokedAt === null)
      assert.deepStrictEqual(
        valid.map(({ name }: { name: string }) => name),
        ["demo", "ci"]
      )
      await shop.nothingLeft(dataDir)
    })
  })

  long(() => {
    it("a later start keeps the data and prints no token, even after kill -9", async () => {
      const killed = await start({ DATA_DIR: dataDir })
      assert.isUndefined(killed.token)
      assert.deepStrictEqual(await teams(killed.url, token), demoTeams)
      killed.signal("SIGKILL")
      const next = await start({ DATA_DIR: dataDir })
      assert.isUndefined(next.token)
      assert.deepStrictEqual(await teams(next.url, token), demoTeams)

      const agent = new Agent({ keepAlive: true })
      await new Promise((resolve, reject) =>
        get(`${next.url}/healthz`, { agent }, (response) => response.resume().on("end", resolve)).on("error", reject)
      )
      await stop(next)
      agent.destroy()
      await shop.nothingLeft(dataDir)
    })
  })
})

long(() =>
  describe.concurrent("an empty database", () => {
    it("takes two services that start at the same instant, with one demo for both", async () => {
      const dataDir = shop.folder()
      const services = await Promise.all([start({ DATA_DIR: dataDir }), start({ DATA_DIR: dataDir })])
      const tokens = services.flatMap((service) => service.token ?? [])
      assert.strictEqual(tokens.length, 1)
      for (const { url } of services) assert.deepStrictEqual(await teams(url, tokens[0] ?? ""), demoTeams)
      const { rows } = await query(dataDir, "SELECT slug FROM workspaces")
      assert.deepStrictEqual(rows, [{ slug: "demo" }])
      await Promise.all(services.map((service) => stop(service)))
      await shop.nothingLeft(dataDir)
    })

    it("stays empty with DEMO=off", async () => {
      const dataDir = Prepared.fill(shop.folder())
      const service = await start({ DATA_DIR: dataDir, DEMO: "off" })
      assert.isUndefined(service.token)
      assert.deepStrictEqual((await query(dataDir, "SELECT slug FROM workspaces")).rows, [])
      await stop(service)
    })

    it("is left without processes by a start that ^C ends half-way", async () => {
      const dataDir = shop.folder()
      const program = shop.node({ DATA_DIR: dataDir, PORT: "0" })
      const isMaking = () => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.includes("draft"))
      await eventually(
        () => `the making of data — ${program.err()}`,
        () => (isMaking() ? true : undefined)
      )
      program.signal("SIGINT")
      assert.strictEqual((await program.ended()).code, 0)
      await shop.nothingLeft(dataDir)
      assert.isFalse(existsSync(join(dataDir, "postgres")))
    })
  })
)
