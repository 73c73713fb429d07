import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import { approve, edit, ownedFields, reject, type StoryContext, unbound } from "../../../domain/work/ChangeStory.ts"
import { start } from "../../../domain/work/StartRun.ts"
import { mirrorNoteEnds, type Story } from "../../../domain/work/Story.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import { recorded, refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"

const tracker = { platform: "github", key: "7", url: "https://git.acme.test/issues/7" } as Story["tracker"]

const context = (story: Partial<Story> = {}, more: Partial<StoryContext> = {}): StoryContext => ({
  ...Sample.raising({ run: null }),
  unfinishedRuns: [],
  freshRun: "run-7777" as RunKey,
  ownership: unbound,
  ...more,
  story: Sample.story("backlog", story)
})

const busy = { unfinishedRuns: [Sample.run("running")], pending: [Sample.another] }

describe("a story", () => {
  const criteria = [{ id: "ac-1", text: "It adds up", status: "passed" }] as const
  const edited = (story: Partial<Story>, content: Parameters<typeof edit>[1]) =>
    edit(Sample.ana, content)(context(story))

  it("is not edited where the tracker owns its text, or to an invalid one", () => {
    assert.strictEqual(refusal(edited({ tracker }, { title: "Mine" })), "TrackerOwnsText")
    assert.strictEqual(refusal(edited({}, { title: "" })), "InvalidStory")
  })

  it("gets no title of two lines, and keeps the one that it has", () => {
    const [title, description] = ["Two\nlines", "More"]
    const refused = Either.getOrThrow(Either.flip(edited({}, { title })))
    assert.match(refused.message, /^title: must be on one line.*got "Two\\nlines"\. The story is unchanged\.$/)
    assert.strictEqual(success(edited({ title }, { title, description })).result.description, "More")
  })

  it.each([
    ["not mirrored", null, unbound, []],
    ["of a tracker", tracker, unbound, ["title", "description"]],
    [
      "whose issue states a part",
      tracker,
      { stated: ["testPlan"], isReleased: false },
      ["title", "description", "testPlan"]
    ],
    ["of a team that was unbound", tracker, { stated: [], isReleased: true }, []]
  ] as const)("that is %s leaves to its tracker what it owns", (_, of, ownership, fields) => {
    assert.deepStrictEqual(ownedFields({ tracker: of }, ownership), fields)
    for (const field of ["title", "description", "testPlan"] as const)
      assert.strictEqual(
        refusal(edit(Sample.ana, { [field]: "Mine" })(context({ tracker: of }, { ownership }))),
        (fields as ReadonlyArray<string>).includes(field) ? "TrackerOwnsText" : null
      )
  })

  it("is not edited by a person who read an older version", () => {
    const updatedAt = Sample.before
    const by = (expected: DateTime.Utc | null) => edit(Sample.ana, { title: "Mine" }, expected)(context({ updatedAt }))
    assert.strictEqual(refusal(by(DateTime.subtract(updatedAt, { millis: 1 }))), "StoryChangedMeanwhile")
    for (const expected of [updatedAt, null]) assert.strictEqual(success(by(expected)).result.title, "Mine")
  })

  it("keeps the state of criteria whose text stays, and is scored anew", () => {
    const content = { acceptanceCriteria: ["It is fast", "It adds up"], demonstrate: ["Show it"] }
    const { change, result } = success(edited({ acceptanceCriteria: criteria, readinessScore: 70 }, content))
    assert.deepStrictEqual(
      result.acceptanceCriteria.map(({ id, status }) => [id, status]),
      [
        ["ac-1", "pending"],
        ["ac-2", "passed"]
      ]
    )
    assert.strictEqual(result.readinessScore, 100)
    assert.deepStrictEqual(recorded(change), ["story_changed story Refund in part"])
  })

  it.each([
    ["Too large", ["Too large"]],
    [`mallory edited the issue. ${mirrorNoteEnds[0]}`, []],
    [null, []]
  ])("that was returned with the note %j gives it to its next run, unless the mirror left it", (returnNote, notes) => {
    const { change } = success(start(Sample.ana)(context({ returnNote })))
    assert.deepStrictEqual(
      change.added?.runs?.flatMap(({ inputs }) => inputs.map(({ note }) => note)),
      notes
    )
  })

  const approved = (story: Partial<Story>) => approve(Sample.ana, Sample.fresh.job)(context(story))

  it.each([
    ["no draft", { draft: false }, "NotADraft"],
    ["not ready", { draft: true, readinessScore: 70 }, "NotReady"],
    ["a ready draft", { draft: true }, null]
  ])("that is %s is approved only as a ready draft", (_, story, tag) =>
    assert.strictEqual(refusal(approved(story)), tag)
  )

  it("is written to the tracker when it is approved", () => {
    const { change, result } = success(approved({ draft: true }))
    assert.isFalse(result.draft)
    assert.deepStrictEqual(
      change.added?.jobs?.map(({ kind, story }) => `${kind} ${story}`),
      ["write_story PAY-1"]
    )
  })

  it("is rejected only as a draft, with its runs and decisions", () => {
    assert.strictEqual(refusal(reject(Sample.ana)(context())), "NotADraft")
    const { change, result } = success(reject(Sample.ana)(context({ draft: true }, busy)))
    assert.strictEqual(result.rejectedAt, Sample.now)
    assert.deepStrictEqual(
      change.changed?.runs?.map(({ latest }) => latest.status),
      ["stopped"]
    )
    assert.deepStrictEqual(recorded(change), [
      "story_changed story Refund in part",
      "run_state_changed run run-aaaa",
      "decision_cancelled decision Which way?"
    ])
  })

  it.each([
    ["of a paused team", context({}, { team: Sample.team(null, { pausedAt: Sample.before }) }), "TeamIsPaused"],
    ["that is a draft", context({ draft: true }), "StoryIsDraft"],
    ["with an unfinished run", context({}, busy), "StoryIsWorkedOn"],
    ["without", context(), null]
  ])("%s starts or refuses a run", (_, at, tag) => assert.strictEqual(refusal(start(Sample.ana)(at)), tag))

  it("moves to In progress with its run", () => {
    const { change, result } = success(start(Sample.ana)(context()))
    assert.deepStrictEqual([result.run.key, result.story.column.role], ["run-7777", "in_progress"])
    assert.deepStrictEqual(change.changed?.stories, [result.story])
  })
})
