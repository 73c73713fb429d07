import * as Seed from "../support/Seed.ts"

const past = "2026-01-02T03:04:05.678Z"
const planned = { kind: "plan_approval", title: "Plan?", recommendation: "yes", options: Seed.options }

const letters = "0123456789abcdefghjkmnpqrstvwxyz"
const keyOf = (n: number) => `dec-${letters[n >> 10]}${letters[(n >> 5) & 31]}${letters[n & 31]}z`

const statuses = ["pending", "expired", "cancelled", "superseded"]

/** One object of every kind that is read, and enough decisions for several pages. */
export const readable = {
  teams: [
    {
      id: "0b5cbb1e-6ac8-4f0e-9d1c-4b7c3f3d8f11",
      slug: "payments",
      name: "payments “fast” & Söhne",
      description: 'With "quotes", \\ and\nlines',
      keyPrefix: "PAY",
      policy: { preset: "standard", updatedAt: past },
      createdAt: past,
      updatedAt: past
    },
    { slug: "web", name: "Web shop", keyPrefix: "WEB", paused: true, policy: { preset: "autonomous" } },
    { slug: "ops", name: "Operations", keyPrefix: "OPS" }
  ],
  stories: [
    { key: "PAY-1", team: "payments", title: "Refund in part" },
    { key: "WEB-1", team: "web", title: "Wish list" }
  ],
  runs: [
    {
      key: "run-aaaa",
      story: "PAY-1",
      budgetCents: 700,
      pullRequest: { url: "https://example.com/pull/7", number: 7 },
      createdAt: past,
      attemptList: [
        {
          status: "failed",
          stage: "verifying",
          costCents: 120,
          failureClass: "gate",
          error: "It did not pass: «ä»",
          verification: { status: "failed", summary: "1 of 3", completedAt: past },
          startedAt: past,
          completedAt: past
        },
        { status: "running", stage: "implementing", costCents: 30, startedAt: past }
      ],
      evidence: {
        gates: [{ name: "tests", status: "passed", summary: "all", url: "https://example.com/1", completedAt: past }],
        acceptance: [{ criterionId: "a", status: "pending" }],
        demonstrate: [{ text: "Refund 5 of 10", status: "passed" }],
        diff: { files: 3, additions: 40, deletions: 2, commit: "abc" }
      }
    },
    { key: "run-bbbb", story: "WEB-1" }
  ],
  decisions: [
    ...Array.from({ length: 60 }, (_, n) => ({
      ...planned,
      key: keyOf(n),
      title: `Plan ${n}?`,
      body: `# Why\n\n- "${n}" \\ \u2028 ✓`,
      createdAt: past,
      status: statuses[n % 4],
      ...(n % 3 === 0 ? { run: "run-aaaa" } : { team: n % 3 === 1 ? "web" : "payments" })
    })),
    {
      ...planned,
      key: "dec-d0ne",
      team: "web",
      status: "resolved",
      resolution: { optionId: "no", note: "Too big" },
      resolvedVia: "slack",
      resolvedAt: past,
      createdAt: past
    }
  ]
}

const waiting = (n: number) => ({ key: `run-wa${n}t`, story: `PAY-${n}`, status: "waiting", stage: "planning" })
const more = { label: "Change it", action: "request_changes", id: "more" }
const changeable = { ...planned, options: [...Seed.options, more] }

/** Decisions to resolve: each run waits, one for two answers, one is over, one is queued. */
export const answerable = {
  teams: readable.teams,
  stories: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ key: `PAY-${n}`, team: "payments", title: `Story ${n}` })),
  runs: [
    ...[1, 2, 3, 4, 7].map(waiting),
    { ...waiting(8), stage: "verifying" },
    { key: "run-0ver", story: "PAY-5", status: "failed", stage: "planning" },
    { key: "run-q0ed", story: "PAY-6" }
  ],
  decisions: [
    ...[1, 2, 3, 4].map((n) => ({ ...planned, key: `dec-wa${n}t`, run: `run-wa${n}t`, title: `Plan of ${n}?` })),
    ...[7, 8].map((n) => ({ ...changeable, key: `dec-wa${n}t`, run: `run-wa${n}t` })),
    { ...changeable, key: "dec-2nd8", run: "run-wa8t" },
    { ...changeable, key: "dec-0vr2", run: "run-0ver" },
    { ...changeable, key: "dec-tm2t", team: "web" },
    { ...planned, key: "dec-2nd3", run: "run-wa3t", kind: "scope_change", title: "Wider?" },
    { ...planned, key: "dec-2nd4", run: "run-wa4t", kind: "scope_change", title: "Wider?" },
    { ...planned, key: "dec-0ver", run: "run-0ver" },
    { ...planned, key: "dec-q0ed", run: "run-q0ed" },
    { ...planned, key: "dec-team", team: "web" },
    { ...changeable, key: "dec-race", team: "web" },
    { ...planned, key: "dec-wner", team: "web", authority: "owner" },
    { ...planned, key: "dec-cncd", team: "web", status: "cancelled" },
    { ...planned, key: "dec-exp1", team: "web", status: "expired" }
  ]
}
