import { Array, Effect } from "effect"
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import { isLong } from "../support/Long.ts"
import { turns } from "../support/Share.ts"
import { breaking } from "./Breaking.ts"
import type { Case } from "./Case.ts"
import * as Everything from "./Everything.ts"
import type { Twin } from "./Marking.ts"
import { file, idOf, read, written } from "./Noticed.ts"
import type { PgKeeper } from "./PgKeeper.ts"
import { around, type Predicate, predicatesIn } from "./Predicates.ts"
import { before, type Before, lasting, play, type Seen, steady } from "./Seen.ts"
import { asTwin, onPostgres, type Stage } from "./Stage.ts"
import { keysIn } from "./Told.ts"

const howToUpdate = "to update the list, run: PROVE=full npx vitest run -u test/twins/broken.test.ts"

/** Cases take turns in `npm test`, each with the conditions that it notices. */
const listed = new Map(turns(read()).flatMap(({ ids, name }) => ids.map((id) => [id, name])))
const names = new Set(listed.values())

const bothAtOnce = (name: string) => `${name}, both at once`

const cases = Everything.cases.filter(({ name }) => isLong || names.has(name) || names.has(bothAtOnce(name)))

/** Cases whose requests are counted by a statement that several share. */
const counted = cases.filter(({ name }) =>
  /^(AuthenticatedReads|TokenStore.authenticate|Intake.refuse)(?!.*deleted)/.test(name)
)

/** The id of a binding belongs to one workspace, and the rows that it joins state their own. */
const isUnseen = ({ text }: Predicate) => text === "i.workspace_id = n.workspace_id"

/** Both at once, after a first request of the twin. */
const together = ({ act, name }: Case, twin: Twin): Case => ({
  name: bothAtOnce(name),
  twins: "free",
  act: (at) => {
    const theirs = Effect.exit(act(asTwin(at, twin)))
    const both = Effect.all([Effect.exit(act(at)), theirs], { concurrency: "unbounded" })
    return Effect.zipRight(theirs, both)
  }
})

describe("statements that forget whose rows they are about", () => {
  const { breaking: without, layer, sentBy } = breaking()
  /** The cases that send a statement. */
  const users = new Map<string, Array<Case>>()
  /** Their results while every statement is whole. */
  const whole = new Map<Case, string>()
  let stage: Stage<PgKeeper>
  let twins: ReadonlyArray<Twin>
  let was: Before

  // In an operation on all workspaces, the keys that a twin draws depend on the order of the workspaces.
  const outcome = (one: Case, { result, rows, twins: theirs }: Seen) =>
    JSON.stringify([steady([result], was), steady(rows, was), theirs.map((texts) => lasting(texts, was, one))])

  beforeAll(async () => {
    stage = await onPostgres(layer)
    const { keeper, twin } = stage
    was = await before(stage)
    await keeper.save()
    const drawn = new Set(["run-0000", "dec-0000", "inc-0000"])
    const uses = async (one: Case, twins: ReadonlyArray<Twin>) => {
      const [seen, statements] = await sentBy(() => play(stage, one, twins))
      for (const text of statements) users.set(text, [...(users.get(text) ?? []), one])
      return seen
    }
    for (const one of cases) {
      const { result, rows } = await (one.twins === "held" ? uses(one, []) : play(stage, one, []))
      for (const key of keysIn([result, ...rows])) if (!was.keys.has(key)) drawn.add(key)
    }
    await keeper.restore()
    const [like, unlike] = [twin("birch"), twin("cedar")]
    await keeper.add(like.of, like)
    await keeper.addContrary(unlike.of, unlike, drawn)
    await keeper.save()
    twins = [like, unlike]
    // Sweeps over all workspaces depend on the rows of the twins.
    const free = [...cases.filter(({ twins }) => twins !== "held"), ...counted.map((one) => together(one, like))]
    for (const one of free) await uses(one, twins)
  }, 300_000)
  afterAll(() => stage?.close())

  const played = async (one: Case) => outcome(one, await play(stage, one, twins))

  const undisturbed = async (one: Case) => {
    const result = whole.get(one) ?? (await played(one))
    // A case that differs from itself would notice every condition.
    if (!whole.has(one)) assert.strictEqual(await played(one), result, one.name)
    whole.set(one, result)
    return result
  }

  const notices = async (one: Case, predicate: Predicate) => {
    const result = await undisturbed(one)
    const seen = await without(predicate, () => play(stage, one, twins))
    // It must still be valid SQL, otherwise every case would notice it.
    assert.notMatch(seen.result, /"code":"42/, around(predicate))
    return outcome(one, seen) !== result
  }

  const noticing = async (predicate: Predicate, among: ReadonlyArray<Case>): Promise<Case | null> => {
    for (const one of among) if (await notices(one, predicate)) return one
    return null
  }

  it("each of their conditions is missed", { timeout: 600_000 }, async ({ task }) => {
    const began = performance.now()
    const statements = [...users.keys()].toSorted()
    const predicates = statements.flatMap(predicatesIn).filter((one) => !isUnseen(one))
    const found = new Map<string, string>()
    const unnoticed: Array<string> = []
    for (const predicate of predicates) {
      const id = idOf(predicate)
      const [others, known] = Array.partition(
        users.get(predicate.statement) ?? [],
        ({ name }) => name === listed.get(id)
      )
      // `npm test` leaves each condition out of one statement, the long form out of all that contain it.
      if (!isLong && (known.length === 0 || found.has(id))) continue
      const by = await noticing(predicate, isLong ? [...known, ...others] : known)
      if (by === null && isLong) unnoticed.push(around(predicate))
      if (by !== null && (!found.has(id) || by.name === listed.get(id))) found.set(id, by.name)
    }
    assert.deepStrictEqual(unnoticed, [], "no case notices these conditions: add one to test/twins for each")
    if (isLong) await expect(written(found)).toMatchFileSnapshot(file, howToUpdate)
    else assert.deepStrictEqual([...found].toSorted(), [...listed].toSorted(), howToUpdate)
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    task.meta.figures = `${isLong ? predicates.length : found.size} conditions of ${statements.length} statements left out one by one, ${cases.length} cases beside two other workspaces, in ${seconds} s, and each was missed`
  })
})
