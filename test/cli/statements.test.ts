import { Statement } from "@effect/sql"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import * as OnCall from "../support/OnCall.ts"
import * as Equipment from "../support/Equipment.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as Terminal from "./Terminal.ts"

const statements: Array<string> = []

const counting = Statement.setTransformer((statement) => {
  statements.push(statement.compile()[0])
  return Effect.succeed(statement)
})

const runtime = ManagedRuntime.make(Layer.merge(Layer.provide(TestPostgres.layer, counting), Equipment.layer))
let terminal: ReturnType<typeof Terminal.open>
let as: ReadonlyArray<string>
let incident: string

beforeAll(async () => {
  const { context } = await runtime.runtime()
  terminal = Terminal.open(Layer.merge(Layer.succeedContext(context), counting))
  const scene = Effect.gen(function* () {
    const { slug } = yield* Seed.workspace
    yield* Seed.load(slug, {
      ...Seed.small,
      services: [
        { team: "payments", name: "checkout" },
        { team: "payments", name: "basket" }
      ]
    })
    const { incidents } = yield* OnCall.arrange(yield* People.person(slug, "owner"), "payments" as TeamSlug)
    return { slug, incident: incidents.open }
  })
  const made = await runtime.runPromise(scene)
  incident = made.incident
  as = ["--workspace", made.slug, "--as", Seed.ownerEmail]
})
afterAll(async () => {
  await terminal.close()
  await runtime.dispose()
})

const asked = async (verb: string, words: ReadonlyArray<string>) => {
  statements.length = 0
  await terminal.json(...verb.split(" "), ...as, ...words)
  return statements.length
}

it.each([
  ["team list", []],
  ["team show", ["--team", "payments"]],
  ["policy show", ["--team", "payments"]],
  ["story list", ["--team", "payments", "--limit", "1"]],
  ["story show", ["--story", "PAY-1"]],
  ["run list", ["--team", "payments"]],
  ["decision list", ["--status", "pending"]],
  ["decision show", ["--decision", "dec-aaaa"]],
  ["incident list", ["--status", "open", "--service", "checkout", "--since", "2026-01-01"]],
  ["alert list", ["--source", "tool", "--status", "firing"]],
  ["audit list", ["--event", "team_created"]],
  ["member list", []]
])("%s takes two statements: who asks, and the answer", async (verb, words) => {
  assert.strictEqual(await asked(verb, words), 2, statements.join("\n\n"))
})

it("incident show finds one incident, however many there are, and its alerts", async () => {
  assert.strictEqual(await asked("incident show", ["--incident", incident]), 3, statements.join("\n\n"))
})

it("run show reads the run and its jobs", async () => {
  assert.strictEqual(await asked("run show", ["--run", "run-aaaa"]), 3, statements.join("\n\n"))
})
