import { assert, beforeAll, describe, it } from "vitest"
import { type Action, actions, type Kind } from "../../domain/work/Decision.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import type { visit } from "./asked.ts"

interface Row {
  readonly kind: Kind
  readonly action: Action
  readonly effects: ReadonlyArray<string>
  /** status, stage, attempts, budgetCents and failureClass of its run afterwards; none for a team's decision. */
  readonly run?: readonly [string, string, number, number, string | null]
  readonly column?: string
}

const rows: ReadonlyArray<Row> = [
  {
    kind: "plan_approval",
    action: "approve_plan",
    effects: ["plan_approved done", "implementation_started done", "story_moved done"],
    run: ["running", "implementing", 1, 500, null],
    column: "in_progress"
  },
  {
    kind: "plan_approval",
    action: "request_changes",
    effects: ["run_resumed done", "answer_delivered queued"],
    run: ["running", "planning", 1, 500, null]
  },
  {
    kind: "policy_exception",
    action: "allow_once",
    effects: ["exception_granted done", "run_resumed done"],
    run: ["running", "planning", 1, 500, null]
  },
  {
    kind: "scope_change",
    action: "reject",
    effects: ["run_ended done", "story_moved done"],
    run: ["stopped", "planning", 1, 500, "policy"],
    column: "backlog"
  },
  {
    kind: "budget_stop",
    action: "raise_budget",
    effects: ["budget_raised done", "run_resumed done"],
    run: ["running", "planning", 1, 1000, null]
  },
  {
    kind: "budget_stop",
    action: "abandon",
    effects: ["run_ended done", "story_moved done"],
    run: ["stopped", "planning", 1, 500, null],
    column: "backlog"
  },
  {
    kind: "diff_guard",
    action: "revert_spec_and_retry",
    effects: ["spec_restored queued", "attempt_queued done"],
    run: ["queued", "planning", 2, 500, null]
  },
  {
    kind: "verification_failed",
    action: "retry",
    effects: ["attempt_queued done"],
    run: ["queued", "planning", 2, 500, null]
  },
  {
    kind: "clarification",
    action: "answer",
    effects: ["answer_delivered queued", "run_resumed done"],
    run: ["running", "planning", 1, 500, null]
  },
  {
    kind: "merge_approval",
    action: "merge",
    effects: ["pull_request_merged queued", "run_resumed done"],
    run: ["running", "handing_off", 1, 500, null]
  },
  {
    kind: "revert_approval",
    action: "open_revert",
    effects: ["revert_opened queued", "run_resumed done"],
    run: ["running", "planning", 1, 500, null]
  },
  { kind: "maintenance_proposal", action: "accept_proposal", effects: ["proposal_filed done"] },
  { kind: "strategy_proposal", action: "decline_proposal", effects: ["proposal_declined done"] }
]

const keyOf = (kind: "dec" | "run", place: number) => `${kind}-00${String(place).padStart(2, "0")}`
const storyOf = (place: number) => `T-${place + 1}`

/** Each row's decision is about its own waiting run; review is a column that every action may leave. */
const document = {
  teams: [{ slug: "t", name: "T", keyPrefix: "T" }],
  stories: rows.map((_, place) => ({
    key: storyOf(place),
    team: "t",
    title: `Story ${place}`,
    column: { role: "review" }
  })),
  runs: rows.map((_, place) => ({ key: keyOf("run", place), story: storyOf(place), status: "waiting" })),
  decisions: rows.map(({ action, kind, run }, place) => ({
    key: keyOf("dec", place),
    kind,
    title: `Question ${place}`,
    recommendation: action,
    options: actions[kind].map((offered) => ({ id: offered, label: offered, action: offered })),
    ...(run ? { run: keyOf("run", place) } : { team: "t" })
  }))
}

export const resolveEffects = ({ read, resolve, tokenOf, workspace }: ReturnType<typeof visit>) =>
  describe("takes effect on the run and the story", () => {
    let slug: WorkspaceSlug
    let token: string
    beforeAll(async () => {
      slug = await workspace(document)
      token = await tokenOf(slug)
    })

    it.each(rows.map((row, place) => ({ ...row, place })))(
      "$action of $kind: $effects",
      async ({ action, column = "review", effects, place, run }) => {
        const answer = await resolve(keyOf("dec", place), { optionId: action, note: "Note" }, { token })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.deepStrictEqual(
          answer.body.effects.map((effect: { type: string; status: string }) => `${effect.type} ${effect.status}`),
          effects
        )
        if (run === undefined) return
        const shown = await read(slug, `/v1/runs/${keyOf("run", place)}`)
        assert.deepStrictEqual(
          [shown.status, shown.stage, shown.attempts, shown.budgetCents, shown.failureClass],
          [...run]
        )
        assert.deepStrictEqual(
          shown.decisions.map((decision: { status: string }) => decision.status),
          ["resolved"]
        )
        const story = await read(slug, `/v1/stories/${storyOf(place)}`)
        assert.strictEqual(story.column.role, column)
      }
    )

    it("a merge that a red main branch holds names the decision, since when, and the way on", async () => {
      const offer = (kind: Kind) => ({
        kind,
        title: kind,
        recommendation: actions[kind][0],
        options: actions[kind].map((offered) => ({ id: offered, label: offered, action: offered }))
      })
      const red = await workspace({
        teams: [{ slug: "t", name: "T", keyPrefix: "T" }],
        stories: [{ key: "T-1", team: "t", title: "Story" }],
        runs: [{ key: "run-0001", story: "T-1", status: "waiting" }],
        decisions: [
          {
            ...offer("main_red_incident"),
            key: "dec-0001",
            team: "t",
            createdAt: "2026-09-14T12:00:00.000Z",
            expiresAt: null
          },
          { ...offer("merge_approval"), key: "dec-0002", run: "run-0001" }
        ]
      })
      const answer = await resolve("dec-0002", { optionId: "merge" }, { token: await tokenOf(red) })
      const [{ status, summary, type }] = answer.body.effects
      assert.deepStrictEqual([type, status], ["pull_request_merged", "queued"])
      assert.strictEqual(
        summary,
        "The pull request is to be merged: held by dec-0001 (pending) since 2026-09-14T12:00:00.000Z, " +
          "when the main branch was reported red; it continues when dec-0001 is resolved"
      )
    })

    it("an accepted proposal is a draft story that its effect points to", async () => {
      const { data } = await read(slug, "/v1/teams/t/stories?drafts=true&limit=1")
      const [{ draft, key, title }] = data
      assert.deepStrictEqual([draft, title], [true, "Question 11"])
      assert.strictEqual(key, storyOf(rows.length))
      const { data: without } = await read(slug, "/v1/teams/t/stories?limit=1")
      assert.strictEqual(without[0].key, storyOf(rows.length - 1))
    })
  })
