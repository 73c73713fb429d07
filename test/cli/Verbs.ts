import { Effect, Either, Option, Redacted } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, assert, beforeAll, beforeEach } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import * as Json from "../../application/ports/Json.ts"
import * as Terminal from "./Terminal.ts"

export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
export const wholeToken = "tk_abcdefghijklmnopqrstuvwxyz012345"

export const acme = ["--slug", "acme", "--name", "Acme", "--owner-email", "owner@acme.test", "--owner-name", "Owner"]
export const admin = ["--workspace", "acme", "--email", "admin@acme.test", "--name", "Admin", "--role", "admin"]
export const ofOwner = ["--workspace", "acme", "--member", "owner@acme.test"]
export const ci = [...ofOwner, "--name", "ci", "--permissions", "read,write", "--expires", "30d"]

/** Every command with its verbs. */
export const commands = {
  workspace: ["create", "list", "delete", "rename"],
  member: ["add", "list", "set", "remove", "sign-in-link"],
  token: ["create", "list", "revoke"],
  team: ["create", "list", "show", "set", "pause", "resume", "delete", "place add", "place list", "place remove"],
  "team place": ["add", "list", "remove"],
  policy: ["show", "set"],
  story: ["create", "list", "show", "edit", "move", "approve", "reject"],
  run: ["start", "stop", "retry", "list", "show", "logs", "lease", "report", "finish"],
  runner: ["list", "show", "drain", "remove"],
  connection: ["create", "list", "show", "test", "renew", "remove"],
  tracker: ["check", "bind", "show", "unbind"],
  mcp: [],
  decision: ["raise", "answer", "list", "show"],
  service: ["create", "set", "show", "list", "delete"],
  source: "create set secret credentials rotate pause resume delete list show deliveries replay test".split(" "),
  delivery: ["list"],
  incident: ["list", "show", "acknowledge", "resolve"],
  alert: ["list"],
  job: ["list"],
  notification: ["list", "read"],
  audit: ["list", "verify"],
  import: [],
  demo: []
}

/** Every verb, word by word. */
export const verbs = Object.entries(commands).flatMap(([command, verbs]) => {
  if (command.includes(" ")) return []
  return verbs.length === 0 ? [[command]] : verbs.map((verb) => [command, ...verb.split(" ")])
})

let folder = ""
export let good = ""
export let terminal: ReturnType<typeof Terminal.open>

/** A terminal for each test of a file, and a folder for all of them. */
export const settle = () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "gatehouse-cli-"))
    good = file("good.json", JSON.stringify(Seed.small))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  beforeEach(() => {
    terminal = Terminal.open()
  })
  afterEach(() => terminal.close())
}

export const file = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

export const workspace = () => terminal.json("workspace", "create", ...acme)
export const token = () => terminal.json("token", "create", ...ci)

export const works = async (value: string) => {
  const bearer = Effect.flatMap(TokenStore, (store) =>
    Effect.flatMap(Tokens.hashOf(Option.some(Redacted.make(value))), (hash) => store.authenticate(hash))
  )
  return Either.match(await terminal.run(Effect.either(bearer)), { onLeft: ({ _tag }) => _tag, onRight: () => true })
}

export const audit = async (id: string) => {
  const read = Effect.flatMap(AuditLog, (log) =>
    log.page(id as WorkspaceId, Seed.anyEntry, { limit: 1000, before: null })
  )
  const { items } = await terminal.run(read)
  const entries = Json.each(items)
    .map((item) => JSON.parse(item))
    .toReversed()
  for (const { details } of entries) assert.strictEqual(details.cli, true)
  return entries
}
