import { Either } from "effect"
import { assert, describe, it } from "vitest"
import { move } from "../../../domain/work/MoveStory.ts"
import { ColumnRole } from "../../../domain/work/Story.ts"
import * as Sample from "../Sample.ts"

const at = (role: ColumnRole, draft = false) => ({
  now: Sample.now,
  story: Sample.story(role, { draft, returnNote: "Too large" }),
  unfinishedRuns: [],
  pending: [Sample.another]
})

const pairs = ColumnRole.literals.flatMap((from) => ColumnRole.literals.map((to) => [from, to] as const))

/** The refusal's tag, or the column that the story is in afterwards. */
const outcome = (to: ColumnRole, matter: Parameters<ReturnType<typeof move>>[0]) =>
  Either.match(move(Sample.ana, to)(matter), {
    onLeft: ({ _tag }) => _tag,
    onRight: ({ answer }) => Either.getOrThrow(answer).column.role
  })

describe("a story moved by hand", () => {
  it.each(pairs)("from %s to %s goes there, unless it is there", (from, to) =>
    assert.strictEqual(outcome(to, at(from)), from === to ? "StoryAlreadyThere" : to)
  )

  it.each(ColumnRole.literals.filter((to) => to !== "backlog"))("as a draft to %s stays in front of Ready", (to) =>
    assert.strictEqual(outcome(to, at("backlog", true)), to === "refining" ? "refining" : "DraftNotMovable")
  )

  it.each(["queued", "running", "waiting"] as const)("stays while its run is %s", (status) =>
    assert.strictEqual(
      outcome("backlog", { ...at("in_progress"), unfinishedRuns: [Sample.run(status)] }),
      "RunHoldsStory"
    )
  )

  it.each(ColumnRole.literals.filter((to) => to !== "backlog"))("to %s leaves decisions pending, unless done", (to) => {
    const { change } = Either.getOrThrow(move(Sample.ana, to)(at("backlog")))
    const [moved] = change.changed?.stories ?? []
    const cancelled = (change.changed?.decisions ?? []).map(({ status }) => status)
    assert.deepStrictEqual(cancelled, to === "done" ? ["cancelled"] : [])
    const events = change.audit.map(({ event }) => event)
    assert.deepStrictEqual(events, to === "done" ? ["story_moved", "decision_cancelled"] : ["story_moved"])
    assert.deepInclude(change.audit[0].details, { before: { column: "backlog" }, after: { column: to } })
    assert.deepStrictEqual([moved?.updatedAt, moved?.returnNote], [Sample.now, "Too large"])
  })

  it("is refused with the way out", () => {
    const said = (to: ColumnRole, matter: Parameters<ReturnType<typeof move>>[0]) =>
      Either.match(move(Sample.ana, to)(matter), { onLeft: ({ message }) => message, onRight: () => "" })
    assert.strictEqual(said("done", at("done")), "PAY-1 is in Done already.")
    assert.include(said("ready", at("backlog", true)), "story approve --story PAY-1")
    assert.include(
      said("done", { ...at("review"), unfinishedRuns: [Sample.run("running")] }),
      "run stop --run run-aaaa"
    )
  })
})
