import * as Json from "../../application/ports/Json.ts"
import { Effect, Redacted } from "effect"
import { assert } from "vitest"
import { Origin } from "../../application/workspace/RequestOrigin.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Authorization from "../../application/workspace/Authorization.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { Introduction } from "../../domain/runner/ChangeRunner.ts"
import { hashOf } from "../../domain/workspace/ApiToken.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"
import * as Terminal from "./Terminal.ts"

export const acme = ["--workspace", "acme"]
export const asOwner = [...acme, "--as", "owner@acme.test"]
export const asAdmin = [...acme, "--as", "admin@acme.test"]
export const asMember = [...acme, "--as", "member@acme.test"]
export const payments = ["--team", "payments"]

const slug = "acme" as WorkspaceSlug

/** As the commands would make it, which takes ten times as long. */
const made = Effect.gen(function* () {
  const owner = { email: Seed.ownerEmail, name: "Olga Owner" }
  const { id } = yield* Workspaces.create(bySystem, { slug, name: "Acme", owner })
  for (const role of ["admin", "member"] as const)
    yield* Members.add(bySystem, { workspace: slug, email: People.emailOf(role), name: `A ${role}`, role })
  const admin = yield* Authorization.member(slug, People.emailOf("admin"), "app")
  const team = { slug: "payments" as TeamSlug, name: "Payments", keyPrefix: "PAY", description: null }
  yield* Teams.create(admin, { ...team, preset: "standard" })
  return id
})

export const introduction: Introduction = {
  name: "build-1",
  version: "0.1.0",
  os: "linux",
  arch: "x64",
  slots: 2,
  executors: [{ name: "claude-code", version: "2.1" }],
  teams: []
}

/** A runner of the owner. */
const registered = Effect.gen(function* () {
  const { value } = yield* Seed.token(slug)
  const { token } = yield* (yield* TokenStore).identify(yield* hashOf(Redacted.make(value)))
  const caller = { ...(yield* Authorization.member(slug, Seed.ownerEmail, "api")), token }
  return { caller, runner: (yield* Runners.hello(caller, introduction)).id }
})

/** The command line of a workspace with an owner, an admin, a member and the team payments. */
export const open = async () => {
  const terminal = Terminal.open()
  const { gatehouse, json, run } = terminal
  const typed = <A, E>(effect: Effect.Effect<A, E, Stores>) =>
    run(Effect.provideService(effect, Origin, { isCommandLine: true }))
  const id = await typed(made)

  /** Output of a verb for people. */
  const said = async (...words: ReadonlyArray<string>) => {
    const { code, err, out } = await gatehouse(...words)
    assert.deepStrictEqual([code, err], [0, []])
    return out.join("\n")
  }
  /** The refusal of a verb, the same for people and scripts. */
  const refused = async (...words: ReadonlyArray<string>) => {
    const { code, message } = await terminal.failure(...words)
    const told = await gatehouse(...words)
    assert.deepStrictEqual([told.code, told.out, told.err[0]?.split("\n")[0]], [1, [], message])
    return { code, message }
  }
  const audit = async () => {
    const read = Effect.flatMap(AuditLog, (log) => log.page(id, Seed.anyEntry, { limit: 1000, before: null }))
    const entries = Json.each((await run(read)).items)
      .map((item) => JSON.parse(item))
      .toReversed()
    for (const { actor, details, event } of entries)
      if (actor.type !== "service") assert.strictEqual(details.cli, true, `${event} by ${actor.name}`)
    return entries
  }
  const story = async (...words: ReadonlyArray<string>): Promise<string> =>
    (await json("story", "create", ...asMember, ...payments, "--title", "Refund in part", ...words)).key
  return {
    ...terminal,
    said,
    refused,
    audit,
    /** Denials in the audit log. */
    denials: async () =>
      (await audit())
        .filter(({ result }) => result === "denied")
        .map(({ actor, details, event }) => [event, actor.name, details.operation]),
    typed,
    register: () => typed(registered),
    load: (document: unknown) => typed(Seed.load(slug, document)),
    /** Ends the session; every entry of its commands is marked. */
    close: async () => {
      await audit()
      await terminal.close()
    },
    story,
    /** The key of a running run on a new story. */
    running: async (...words: ReadonlyArray<string>): Promise<string> => {
      const { run: started } = await json("run", "start", ...asMember, "--story", await story(...words))
      await json("run", "lease", ...acme, "--run", started)
      return started
    },
    /** The key of the one decision that a report raises. */
    asked: async (run: string, ...words: ReadonlyArray<string>): Promise<string> => {
      const { raised } = await json("run", "report", ...acme, "--run", run, ...words)
      assert.lengthOf(raised, 1)
      return raised[0]
    }
  }
}

export type Acme = Awaited<ReturnType<typeof open>>
