// @effect-diagnostics processEnv:off
import * as Pool from "../adapters/postgres/connection/Pool.ts"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Tools from "../adapters/alerting/Tools.ts"
import * as Postgres from "../adapters/postgres/Postgres.ts"
import { SecretKey } from "../application/secrets/SecretKey.ts"
import * as Sealing from "../application/secrets/Sealing.ts"
import * as Connections from "../application/codehost/Connections.ts"
import type { WorkspaceSlug } from "../domain/workspace/Workspace.ts"
import * as People from "../test/support/People.ts"
import * as Seed from "../test/support/Seed.ts"
import * as Source from "../test/support/Source.ts"
import { session } from "../test/support/Sessions.ts"
import { fill, neighbours, type Size } from "./Dataset.ts"
import type { App } from "./Load.ts"
import * as Server from "./Server.ts"

const secretKey = new Uint8Array(32).fill(7)

export interface Database {
  readonly name: string
  readonly url: string
  readonly size: Size
  /** The workspace's source of alerts. */
  readonly source: { readonly path: string; readonly secret: string }
  /** A session of its owner. */
  readonly app: App
  /** Webhooks of its connection to a code host, once it has one. */
  readonly hook?: { readonly path: string; readonly secret: string }
}

export interface Service {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly database: Database
  readonly close: () => Promise<void>
}

/** A Postgres with data, and services on it, all of which end with it. */
export const open = async () => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-bench-"))
  await chmod(folder, 0o755)
  const postgres = await Server.open(join(folder, "data"))
  const { admin, query, urlOf } = postgres
  const services = new Set<ChildProcess>()

  const storesOf = (database: string) => {
    const { host, port, username } = postgres.server
    return ManagedRuntime.make(
      Layer.mergeAll(Sealing.layer, Tools.layer).pipe(
        Layer.provide(Layer.succeed(SecretKey, Redacted.make(secretKey))),
        Layer.provideMerge(Postgres.layer),
        Layer.provide(Pool.layer({ host, port, user: username, database }))
      )
    )
  }

  /** The database with a connection to a code host that does not answer. */
  const connect = async (database: Database): Promise<Database> => {
    const runtime = storesOf(database.name)
    const slug = database.app.base.slice(1) as WorkspaceSlug
    const { connection, webhookSecret } = await runtime.runPromise(
      Effect.flatMap(People.person(slug), (owner) =>
        Connections.create(owner, {
          name: "github",
          kind: "github",
          baseUrl: "https://github.invalid",
          secret: Redacted.make("none"),
          installation: null,
          webhookSecret: null
        })
      )
    )
    await runtime.dispose()
    return {
      ...database,
      hook: { path: `/hooks/github/${connection.token}`, secret: Redacted.value(webhookSecret) }
    }
  }

  /** A migrated database with a workspace of that size, its source of alerts, and small workspaces beside it. */
  const create = async (name: string, size: Size) => {
    await admin(`CREATE DATABASE ${name}`)
    const runtime = storesOf(name)
    const { path, secret, slug, source, workspace } = await runtime.runPromise(Source.source())
    const small = await runtime.runPromise(Effect.all(Array.from({ length: neighbours }, () => Seed.workspace)))
    const app = { base: `/${slug}`, cookie: `gatehouse=${await runtime.runPromise(session(slug, "owner"))}` }
    await runtime.dispose()
    await query(name, async (client) => {
      for (const [index, { id }] of small.entries())
        await fill(client, id, { entries: 100, rows: 50, tokens: 5 }, size.tokens + index * 5)
      await fill(client, workspace, size)
      await client.query("CREATE TABLE IF NOT EXISTS peer_secrets (source_id uuid PRIMARY KEY, secret text NOT NULL)")
      await client.query("INSERT INTO peer_secrets VALUES ($1, $2)", [source.id, secret])
      await client.query("VACUUM ANALYZE")
    })
    await admin("CHECKPOINT")
    const database: Database = { name, url: urlOf(name), size, source: { path, secret }, app }
    return { database, source: database.source }
  }

  const copy = async (database: Database, name: string): Promise<Database> => {
    await admin(`CREATE DATABASE ${name} TEMPLATE ${database.name} STRATEGY FILE_COPY`)
    return { ...database, name, url: urlOf(name) }
  }

  /** Starts a service as a separate process, and waits until it prints its address. */
  const start = (
    name: string,
    file: string,
    database: Database,
    env: Readonly<Record<string, string>> = {},
    flags: ReadonlyArray<string> = []
  ) =>
    new Promise<Service>((resolve, reject) => {
      const settings = {
        PATH: process.env["PATH"] ?? "",
        PORT: "0",
        DATABASE_URL: database.url,
        SECRET_KEY: Buffer.from(secretKey).toString("base64"),
        ...env
      }
      const child = spawn(process.execPath, [...flags, file], { env: settings, stdio: ["ignore", "pipe", "inherit"] })
      services.add(child)
      const ended = new Promise<void>((done) => child.once("exit", () => done()))
      let said = ""
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        said += chunk
        const url = /http:\/\/[\w.]+:\d+/.exec(said)?.[0]
        if (url === undefined || child.pid === undefined) return
        const close = () => {
          child.kill()
          return ended
        }
        resolve({ name, url: url.replace("localhost", "127.0.0.1"), pid: child.pid, database, close })
      })
      child.once("exit", (code) => reject(new Error(`${name} ended with ${code}: ${said}`)))
    })

  const close = async () => {
    for (const service of services) service.kill("SIGKILL")
    await postgres.close()
    await rm(folder, { recursive: true, force: true })
  }

  return {
    create,
    copy,
    connect,
    start,
    query,
    version: postgres.version,
    whileCounting: postgres.whileCounting,
    close
  }
}
export type Stage = Awaited<ReturnType<typeof open>>
