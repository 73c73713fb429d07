import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type Acme, acme, asMember, open, payments } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

const ready = ["--description", "Why", "--criterion", "It may be partial", "--demonstrate", "Refund 5 of 10"]
const edit = (story: string, ...words: ReadonlyArray<string>) =>
  at.json("story", "edit", ...asMember, "--story", story, ...words)

describe("a story", () => {
  it("is created with all that is said of it", async () => {
    const sizes = ["--size", "l", "--complexity", "high", "--class", "expedite", "--test-plan", "By hand"]
    const title = ["--title", "Refund in part"]
    const made = await at.json("story", "create", ...asMember, ...payments, ...title, ...ready, ...sizes)
    assert.deepInclude(made, {
      key: "PAY-1",
      team: "payments",
      title: "Refund in part",
      description: "Why",
      draft: false,
      readinessScore: 100,
      size: "l",
      complexity: "high",
      classOfService: "expedite",
      tracker: null,
      demonstrate: ["Refund 5 of 10"],
      testPlan: "By hand"
    })
    assert.strictEqual(made.column.role, "backlog")
    const criteria = made.acceptanceCriteria.map(({ status, text }: Record<string, string>) => [text, status])
    assert.deepStrictEqual(criteria, [["It may be partial", "pending"]])
    const said = await at.said("story", "create", ...asMember, ...payments, ...title, "--column", "ready")
    assert.strictEqual(said, "Created PAY-2, readiness 0.")
  })

  it("is edited where it is told to, and its readiness follows", async () => {
    const story = await at.story("--size", "s")
    const scores: Array<number> = []
    for (const words of [ready.slice(0, 2), ready.slice(2, 4), ready.slice(4)])
      scores.push((await edit(story.toLowerCase(), ...words)).readinessScore)
    assert.deepStrictEqual(scores, [40, 70, 100])
    const edited = await edit(story, "--title", "Refund parts", "--criterion", "One", "--criterion", "Two")
    assert.deepInclude(edited, { title: "Refund parts", size: "s", description: "Why" })
    assert.lengthOf(edited.acceptanceCriteria, 2)
    const said = await at.said("story", "edit", ...asMember, "--story", story, "--size", "m")
    assert.strictEqual(said, "Edited PAY-1, readiness 100.")
    const { details, event } = (await at.audit()).at(-1)
    assert.strictEqual(event, "story_changed")
    assert.deepStrictEqual([details.before, details.after], [{ size: "s" }, { size: "m" }])
  })

  it("has what changed in the audit log, before and after, and of long texts their beginning", async () => {
    const story = await at.story()
    const changed = async (...words: ReadonlyArray<string>) => {
      await edit(story, ...words)
      const { details } = (await at.audit()).at(-1)
      return [details.before, details.after]
    }
    assert.deepStrictEqual(await changed("--title", "Refund parts", "--criterion", "One"), [
      { title: "Refund in part", acceptanceCriteria: [], readinessScore: 0 },
      { title: "Refund parts", acceptanceCriteria: ["One"], readinessScore: 30 }
    ])
    const long = "x".repeat(100_000)
    assert.deepStrictEqual(await changed("--description", long, "--size", "m"), [
      { description: null, size: null, readinessScore: 30 },
      { description: `${"x".repeat(499)}…`, size: "m", readinessScore: 70 }
    ])
    const many = Array.from({ length: 25 }, (_, index) => ["--demonstrate", `Step ${index}`]).flat()
    const [, after] = await changed(...many)
    assert.lengthOf(after.demonstrate, 21)
    assert.deepStrictEqual(after.demonstrate.slice(19), ["Step 19", "… and 5 more"])
    assert.deepStrictEqual(await changed("--size", "m"), [{}, {}])
  })

  it("keeps the tracker's title and description, and says where to change them", async () => {
    const url = "https://github.com/acme/pay/issues/7"
    const tracker = { platform: "github", key: "acme/pay#7", url }
    await at.load({ stories: [{ key: "PAY-7", team: "payments", title: "Theirs", tracker }] })
    for (const field of ["title", "description"]) {
      const refusal = await at.refused("story", "edit", ...asMember, "--story", "PAY-7", `--${field}`, "Ours")
      assert.deepStrictEqual(refusal, {
        code: "tracker_owns_text",
        message: `The ${field} of PAY-7 is kept in the tracker. Change it there: ${url}`
      })
    }
    assert.deepInclude(await edit("PAY-7", "--size", "xl", "--criterion", "It works"), { title: "Theirs", size: "xl" })
  })
})

describe("a draft", () => {
  it.each([
    [[], 0],
    [ready.slice(0, 2), 40],
    [ready.slice(0, 4), 70],
    [ready.slice(2), 60]
  ])("with %j is not approved at readiness %i", async (words, score) => {
    const draft = await at.story("--draft", ...words)
    const { code, message } = await at.refused("story", "approve", ...asMember, "--story", draft)
    assert.strictEqual(code, "not_ready")
    assert.include(message, `${draft} has a readiness score of ${score}; a draft is approved at 100: `)
  })

  it("is approved at 100, and writing it to the tracker is queued", async () => {
    const draft = await at.story("--draft", ...ready)
    const approved = await at.json("story", "approve", ...asMember, "--story", draft)
    assert.deepInclude(approved, { key: draft, draft: false })
    const [job] = await at.json("job", "list", ...acme, "--status", "queued")
    assert.deepInclude(job, { kind: "write_story", story: draft, runKey: null })
    const events = (await at.audit()).map(({ event }) => event)
    assert.notInclude(events, "story_written")
    for (const verb of ["approve", "reject"]) {
      const again = await at.refused("story", verb, ...asMember, "--story", draft)
      assert.deepStrictEqual([again.code, again.message.includes("is no draft")], ["not_a_draft", true])
    }
    const other = await at.story("--draft", ...ready)
    const said = await at.said("story", "approve", ...asMember, "--story", other)
    assert.strictEqual(said, `Approved ${other}; writing it to the tracker is queued.`)
  })

  it("is rejected, and its number is not used again", async () => {
    const draft = await at.story("--draft")
    const rejected = await at.json("story", "reject", ...asMember, "--story", draft)
    assert.deepStrictEqual(rejected, { key: draft, rejected: true })
    assert.strictEqual((await at.refused("story", "approve", ...asMember, "--story", draft)).code, "story_not_found")
    assert.strictEqual(await at.story(), "PAY-2")
    const said = await at.said("story", "reject", ...asMember, "--story", await at.story("--draft"))
    assert.strictEqual(said, "Rejected PAY-3.")
  })
})

it.each([
  [["edit"], "There is nothing to edit: say at least one thing of the story"],
  [["edit", "--size", "huge"], "--size must be one of xs, s, m, l, xl; got 'huge'"],
  [["edit", "--class", "soon"], "--class must be one of standard, expedite, fixed_date, intangible; got 'soon'"],
  [
    ["edit", "--title", ""],
    "--title must be text of 1 to 500 characters on one line, without control characters; got ''"
  ],
  [["edit", "--criterion", "ok", "--criterion", "x".repeat(4001)], "--criterion must be text of 1 to 4,000 characters"],
  [["edit", "--demonstrate", "x".repeat(4001)], "--demonstrate must be text of 1 to 4,000 characters; got 'xxx"]
])("story %j is refused: %s", async ([verb = "", ...words], part) => {
  const { code, message } = await at.refused("story", verb, ...asMember, "--story", await at.story(), ...words)
  assert.strictEqual(code, "invalid_usage")
  assert.include(message, part)
})
