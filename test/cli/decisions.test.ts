import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { Kind } from "../../domain/work/Decision.ts"
import { turns } from "../support/Share.ts"
import { type Acme, acme, asAdmin, asMember, asOwner, open, payments } from "./Acme.ts"

let at: Acme
beforeEach(async () => {
  at = await open()
})
afterEach(() => at.close())

const raise = (...words: ReadonlyArray<string>) => at.json("decision", "raise", ...asMember, ...words)
const proposal = [...payments, "--kind", "maintenance_proposal", "--title", "Update TLS"]
const answer = (key: string, option: string) => ["--decision", key, "--option", option]

describe("a decision", () => {
  it("is raised with options of one's own", async () => {
    const run = await at.running()
    const choices = ["--option", "euro:answer:In euro: always", "--option", "none:abandon:Leave it"]
    const words = ["--body", "The **why**", "--subject", "the ledger", "--authority", "admin", "--recommend", "none"]
    const raised = await raise("--run", run, "--kind", "clarification", "--title", "Which?", ...choices, ...words)
    assert.deepInclude(raised, {
      kind: "clarification",
      authority: "admin",
      title: "Which?",
      body: "The **why**",
      status: "pending",
      recommendation: "none",
      team: "payments",
      story: "PAY-1",
      runKey: run,
      resolution: null
    })
    assert.deepStrictEqual(raised.options, [
      { id: "euro", label: "In euro: always", action: "answer", recommended: false },
      { id: "none", label: "Leave it", action: "abandon", recommended: true }
    ])
    assert.strictEqual(Date.parse(raised.expiresAt) - Date.parse(raised.createdAt), 72 * 3_600_000)
    const said = await at.said("decision", "raise", ...asMember, ...proposal)
    assert.match(said, /^Raised dec-.{4}\. It may be answered with: accept_proposal, decline_proposal\.$/)
  })

  it.each(turns(Kind.literals, 3))("of the kind %s has its usual options unless told", async (kind) => {
    const { options, recommendation } = await raise(...payments, "--kind", kind, "--title", "What now?")
    assert.isTrue(options.length >= 2 && options.length <= 4)
    assert.include(
      options.map(({ id }: { readonly id: string }) => id),
      recommendation
    )
  })

  it("belongs to a story or a team just as well", async () => {
    const story = await raise("--story", await at.story(), "--kind", "scope_change", "--title", "Larger?")
    assert.deepStrictEqual([story.team, story.story, story.runKey], ["payments", "PAY-1", null])
    const team = await raise(...proposal)
    assert.deepStrictEqual([team.team, team.story, team.runKey], ["payments", null, null])
  })

  it("is listed with what it may be answered with, newest first", async () => {
    assert.strictEqual(await at.said("decision", "list", ...asMember), "No decisions.")
    const first = await raise(...proposal)
    await at.json("decision", "answer", ...asMember, ...answer(first.key, "decline_proposal"))
    const run = await at.running()
    const second = await at.asked(run, "--question", "Which?")
    const said = await at.said("decision", "list", ...asMember)
    assert.deepStrictEqual(said.split("\n"), [
      `${second}  pending  clarification  ${run}  The agent has a question`,
      "          answer with answer (recommended), abandon",
      `${first.key}  resolved  maintenance_proposal  payments  Update TLS`
    ])
    const keys = async (...words: ReadonlyArray<string>) =>
      (await at.json("decision", "list", ...asMember, ...words)).map(({ key }: { readonly key: string }) => key)
    assert.deepStrictEqual(await keys("--status", "resolved"), [first.key])
    assert.deepStrictEqual(await keys("--run", run), [second])
    assert.deepStrictEqual(await keys("--limit", "1"), [second])
    assert.deepStrictEqual(await keys(...payments), [second, first.key])
  })

  it("is answered by the first who does, and says what followed", async () => {
    const run = await at.running("--size", "xl")
    const plan = await at.asked(run, "--plan", "1. Do it")
    const note = ["--note", "Mind the fees", "--via", "slack"]
    const resolved = await at.json("decision", "answer", ...asMember, ...answer(plan, "approve_plan"), ...note)
    assert.deepInclude(resolved, { key: plan, status: "resolved", resolvedVia: "slack" })
    assert.deepStrictEqual(resolved.resolution, { optionId: "approve_plan", note: "Mind the fees" })
    assert.deepStrictEqual(
      resolved.effects.map(({ status, type }: Record<string, string>) => [type, status]),
      [
        ["plan_approved", "done"],
        ["implementation_started", "done"]
      ]
    )
    const { code, message } = await at.refused("decision", "answer", ...asAdmin, ...answer(plan, "reject"))
    assert.strictEqual(code, "decision_already_resolved")
    assert.match(message, new RegExp(`^${plan} was answered already by A member at .* via slack with 'Approve'`))
    const { actor, details } = (await at.audit()).find(({ event }) => event === "decision_resolved")
    assert.strictEqual(actor.name, "A member")
    assert.deepInclude(details, { optionId: "approve_plan", action: "approve_plan", channel: "slack" })
  })

  it("tells people each step that was taken or is queued", async () => {
    const run = await at.running()
    const path = await at.asked(run, "--needs-path", ".kanman/acceptance/a.md")
    const said = await at.said("decision", "answer", ...asMember, ...answer(path.toUpperCase(), "request_changes"))
    assert.deepStrictEqual(said.split("\n"), [
      `Answered ${path}.`,
      `- ${run} resumes (done)`,
      `- The answer goes to the agent of ${run} (queued)`
    ])
  })

  it("is answered only by whom its authority names, and a refusal is on record", async () => {
    const { key } = await raise(...proposal, "--authority", "owner")
    for (const [who, role] of [
      [asMember, "member"],
      [asAdmin, "admin"]
    ] as const) {
      const { code, message } = await at.refused("decision", "answer", ...who, ...answer(key, "accept_proposal"))
      assert.strictEqual(code, "insufficient_authority")
      assert.strictEqual(
        message,
        `${key} must be answered by an owner of the workspace; your role is ${role}. Ask one of them.`
      )
    }
    assert.deepStrictEqual(await at.denials(), [
      ["access_denied", "A member", "decision answer"],
      ["access_denied", "A member", "decision answer"],
      ["access_denied", "A admin", "decision answer"],
      ["access_denied", "A admin", "decision answer"]
    ])
    const filed = await at.json("decision", "answer", ...asOwner, ...answer(key, "accept_proposal"))
    assert.deepInclude(filed.effects[0], { type: "proposal_filed", ref: { type: "story", id: "PAY-1" } })
  })

  it("about a run is superseded by a newer one of its kind and subject", async () => {
    const run = await at.running()
    const first = await at.asked(run, "--needs-path", ".kanman/acceptance/a.md")
    const again = ["--run", run, "--kind", "policy_exception", "--title", "Again?", "--subject"]
    await raise(...again, "b")
    const listed = await at.json("decision", "list", ...asMember, "--run", run, "--status", "pending")
    assert.lengthOf(listed, 2)
    await raise(...again, ".kanman/acceptance/a.md")
    const { code, message } = await at.refused("decision", "answer", ...asMember, ...answer(first, "allow_once"))
    assert.deepStrictEqual([code, message.includes("superseded by a newer decision")], ["decision_superseded", true])
  })

  it("once declined is not proposed again", async () => {
    const { key } = await raise(...proposal)
    await at.json("decision", "answer", ...asMember, ...answer(key, "decline_proposal"))
    const { code, message } = await at.refused("decision", "raise", ...asMember, ...proposal)
    assert.deepStrictEqual([code, message.includes(`declined as ${key}`)], ["proposal_declined", true])
  })

  it("is not raised about a run that has not begun or is over", async () => {
    const { run } = await at.json("run", "start", ...asMember, "--story", await at.story())
    const words = ["--run", run, "--kind", "clarification", "--title", "Which?"]
    assert.include((await at.refused("decision", "raise", ...asMember, ...words)).message, "lease it first")
    await at.json("run", "stop", ...asMember, "--run", run, "--yes")
    assert.strictEqual((await at.refused("decision", "raise", ...asMember, ...words)).code, "run_over")
  })
})

const about = "Say what it is about with one of --run, --story and --team"

it.each([
  [["--kind", "clarification", "--title", "Q"], about],
  [["--kind", "clarification", "--title", "Q", ...payments, "--story", "PAY-1"], about],
  [proposal.with(3, "whim"), "--kind must be one of plan_approval, "],
  [
    proposal.with(-1, ""),
    "--title must be text of 1 to 500 characters on one line, without control characters; got ''"
  ],
  [[...proposal, "--authority", "boss"], "--authority must be one of member, admin, owner; got 'boss'"],
  [[...proposal, "--option", "yes"], "--option must be ID:ACTION:LABEL such as 'yes:approve_plan:Approve it'"],
  [[...proposal, "--option", "a:fly:Fly"], "got 'a:fly:Fly'"],
  [[...proposal, "--option", "a:accept_proposal:A"], "--option must be given 2 to 4 times, or not at all; got 1"],
  [
    [...proposal, ...["a", "b", "c", "d", "e"].flatMap((id) => ["--option", `${id}:accept_proposal:A`])],
    "--option must be given 2 to 4 times, or not at all; got 5"
  ]
])("decision raise %j is refused: %s", async (words, part) => {
  const { code, message } = await at.refused("decision", "raise", ...asMember, ...words)
  assert.strictEqual(code, "invalid_usage")
  assert.include(message, part)
})

it.each([
  [["--option", "a:merge:A", "--option", "b:accept_proposal:B"], "may offer accept_proposal, decline_proposal"],
  [["--option", "a:accept_proposal:A", "--option", "a:decline_proposal:B"], "option ids must be unique"],
  [["--recommend", "perhaps"], "must be one of the option ids: accept_proposal, decline_proposal"]
])("a decision with %j is invalid: %s", async (words, part) => {
  const { code, message } = await at.refused("decision", "raise", ...asMember, ...proposal, ...words)
  assert.strictEqual(code, "invalid_decision")
  assert.include(message, part)
})

it("an answer is refused with what is allowed", async () => {
  const { key } = await raise(...proposal)
  const unknown = await at.refused("decision", "answer", ...asMember, ...answer(key, "perhaps"))
  assert.deepStrictEqual(unknown, {
    code: "unknown_option",
    message: `--option must be one of accept_proposal, decline_proposal for ${key}; got 'perhaps'.`
  })
  const words = answer(key, "accept_proposal")
  const long = await at.refused("decision", "answer", ...asMember, ...words, "--note", "é".repeat(4001))
  assert.deepStrictEqual(long, {
    code: "note_too_long",
    message: "--note must be at most 4000 characters; got 4001. Shorten it."
  })
  const channel = await at.refused("decision", "answer", ...asMember, ...words, "--via", "api")
  assert.strictEqual(channel.message, "--via must be one of app, slack, mcp; got 'api'")
  const limit = await at.refused("decision", "list", ...asMember, "--limit", "0")
  assert.include(limit.message, "--limit must be a whole number from 1 to")
  const jobs = await at.refused("job", "list", ...acme, "--status", "late")
  assert.include(jobs.message, "--status must be one of queued, running, done, failed, no_adapter; got 'late'")
})
