import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { RunnerStore } from "../../../application/ports/runner/RunnerStore.ts"
import * as Runs from "../../../application/work/Runs.ts"
import type { LeaseId } from "../../../domain/work/Lease.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import * as House from "../../application/house.ts"
import * as People from "../../support/People.ts"
import * as Seed from "../../support/Seed.ts"
import { entries, hostile, markup } from "../OnCallDesk.ts"
import { type Browser, openWith, pageOf, type Site } from "../Visiting.ts"

const document = {
  teams: Seed.small.teams,
  stories: [
    {
      key: "PAY-1",
      team: "payments",
      title: "Refund in part",
      acceptanceCriteria: [{ text: "Half is refunded" }, { text: hostile }],
      column: { role: "ready" }
    },
    { key: "PAY-2", team: "payments", title: hostile },
    { key: "PAY-3", team: "payments", title: "Stopped one" },
    { key: "WEB-1", team: "web", title: "Wish list" }
  ],
  runs: [
    {
      key: "run-hhhh",
      story: "PAY-2",
      pullRequest: { url: "https://code.test/pulls/7", number: 7 },
      attemptList: [
        {
          status: "failed",
          stage: "verifying",
          costCents: 450,
          error: hostile,
          startedAt: "2026-01-02T08:00:00Z",
          completedAt: "2026-01-02T09:30:00Z"
        }
      ],
      evidence: {
        gates: [
          { name: hostile, status: "failed", summary: hostile, url: "https://ci.test/1" },
          { name: "lint", status: "passed" }
        ],
        acceptance: [{ criterionId: "ac-1", status: "failed" }],
        demonstrate: [{ text: hostile, status: "passed" }],
        diff: { files: 3, additions: 40, deletions: 2, commit: "4be91f07c2d3" }
      }
    },
    { key: "run-ssss", story: "PAY-3", status: "stopped" },
    { key: "run-wwww", story: "WEB-1" }
  ],
  decisions: [
    {
      key: "dec-hhhh",
      kind: "plan_approval",
      title: hostile,
      recommendation: "yes",
      options: Seed.options,
      run: "run-hhhh",
      status: "expired"
    }
  ]
}

describe("the pages of runs", () => {
  let site: Site
  let member: Browser
  let [id, slug]: [WorkspaceId, WorkspaceSlug] = [undefined as never, undefined as never]
  beforeAll(async () => {
    ;({ id, site, slug } = await openWith(document))
    member = await site.as(slug, "member")
  })
  afterAll(() => site?.close())

  const page = (path: string, status = 200) => pageOf(member, `/${slug}/${path}`, status)

  /** A run that somebody leases by hand and reports on. */
  const started = () =>
    site.run(
      Effect.gen(function* () {
        const person = yield* People.person(slug, "member")
        const { run } = yield* Runs.start(person, House.story("PAY-1"))
        yield* Runs.lease(person, { team: null, run: run.key })
        yield* Runs.report(person, run.key, [{ type: "stage", stage: "implementing" }])
        yield* Runs.report(person, run.key, [
          { type: "cost", costCents: 125 },
          { type: "question", question: "Which rounding?" }
        ])
        return run.key
      })
    )

  it("list runs newest first, of all teams or one, page by page", async () => {
    const text = await page("runs")
    const keys = (html: string) => [...html.matchAll(/id="row-(run-....)"/g)].map(([, key]) => key)
    assert.deepStrictEqual(keys(text), ["run-wwww", "run-ssss", "run-hhhh"])
    assert.include(text, "4.50 €")
    assert.include(text, 'data-topics="runs"')
    assert.deepStrictEqual(keys(await page("runs?team=web")), ["run-wwww"])
    await page("runs?team=nobody", 404)
    const forged = await page("runs?team=web&cursor=forged", 400)
    assert.include(forged, "This list has no page ‘forged’, which the address names as cursor")
    assert.match(forged, /href="\/[^"]*\/runs\?team=web"[^>]*>Go to the first page of the list</)
    for (const attempt of ["2147483648", "99", "0", "first"]) {
      const text = await page(`runs/run-wwww/log?attempt=${attempt}`, 404)
      assert.include(
        text,
        `run-wwww has no attempt ‘${attempt}’, which the address names. Its latest attempt is number 1.`
      )
      assert.match(text, /href="[^"]*\/log\?attempt=1"[^>]*>Open the log of the latest attempt</)
    }
  })

  it("show what a run waits for, what it did, and what it costs", async () => {
    const key = await started()
    const text = await page(`runs/${key}`)
    for (const part of [
      "<title>Waits for a person: Refund in part · Gatehouse</title>",
      "1.25 €",
      "of 5.00 €",
      "Half is refunded",
      `data-topics="${key} PAY-1"`,
      `action="/${slug}/runs/${key}/stop"`,
      "waits for a person"
    ])
      assert.include(text, part)
    assert.match(text, /aria-label="Attempt 1: [^"]*waits for a person"/)
    assert.match(text, /href="\/[^"]+\/decisions\/dec-....">Answer dec-/)
    const stopped = await member.post(`/${slug}/runs/${key}/stop`, {})
    assert.deepStrictEqual([stopped.status, stopped.headers["location"]], [303, `/${slug}/runs/${key}`])
    assert.deepStrictEqual((await site.run(entries(id, 2))).toSorted(), [
      "decision_cancelled success app",
      "run_state_changed success app"
    ])
    const over = await page(`runs/${key}`)
    assert.include(over, "Stopped")
    assert.include(over, "Withdrawn")
    assert.notInclude(over, 'data-dialog="stop"')
  })

  it("say why a run cannot be stopped or retried", async () => {
    const again = await member.post(`/${slug}/runs/run-ssss/stop`, {})
    assert.strictEqual(again.status, 409)
    assert.include(again.text, "there is nothing to stop")
    const early = await member.post(`/${slug}/runs/run-wwww/retry`, { note: "" })
    assert.strictEqual(early.status, 409)
    assert.include(early.text, "still at work")
  })

  it("retry a run with a note for its agent, once the note fits", async () => {
    assert.include(await page("runs/run-ssss/retry"), "Note for the agent")
    const long = await member.post(`/${slug}/runs/run-ssss/retry`, { note: "x".repeat(4001) })
    assert.strictEqual(long.status, 400)
    assert.include(long.text, "it has 4,001")
    assert.include(long.text, "x".repeat(4001))
    const queued = await member.post(`/${slug}/runs/run-ssss/retry`, { note: "Try again" })
    assert.strictEqual(queued.status, 303)
    assert.include(await page("runs/run-ssss"), "attempt 2")
  })

  it("show a log to its end, and what is added to it alone", async () => {
    const append = (seq: number, text: string) =>
      site.run(
        Effect.flatMap(RunnerStore, (store) =>
          store.appendLog(id, {
            run: House.run("run-hhhh"),
            attempt: 1,
            lease: "7f000000-0000-4000-8000-000000000001" as LeaseId,
            seq,
            text
          })
        )
      )
    assert.include(await page("runs/run-hhhh"), "Nothing is logged yet")
    await append(1, `first ${hostile}\n`)
    const text = await page("runs/run-hhhh")
    assert.deepStrictEqual(markup(text), [])
    assert.include(text, "first &lt;script>")
    const [, news = ""] = /hx-get="([^"]*after=\d+)"/.exec(text) ?? []
    await append(2, "second\n")
    const added = await member.get(news.replaceAll("&amp;", "&"), { "hx-request": "true" })
    assert.match(added.text, /^second\n<span id="log-end" hx-get="[^"]*after=\d+"/)
    await append(3, `${"x".repeat(70_000)}\n`)
    const cut = await page("runs/run-hhhh")
    assert.notInclude(cut, "second")
    assert.include(cut, "The whole log")
    const whole = await page("runs/run-hhhh/log?attempt=1")
    assert.include(whole, "second")
    assert.include(whole, "x".repeat(70_000))
  })

  it("keep hostile texts as texts", async () => {
    for (const path of ["runs", "runs/run-hhhh", "runs/run-hhhh/log", "runs/run-hhhh/retry", "runs/run-hhhh/stop"])
      assert.deepStrictEqual(markup(await page(path)), [], path)
    const text = await page("runs/run-hhhh")
    for (const part of [
      "3 files",
      "+40 −2",
      "4be91f07c2d3",
      'href="https://code.test/pulls/7"',
      "1 of 2 passed",
      "Attempt 1: working 08:00 to 09:30, failed"
    ])
      assert.include(text, part)
  })

  it("are not there for runs nobody has, strangers and other workspaces, and take no form of another site", async () => {
    for (const wrong of ["run-0000", "nonsense"]) {
      await page(`runs/${wrong}`, 404)
      await page(`runs/${wrong}/log`, 404)
      assert.strictEqual((await member.post(`/${slug}/runs/${wrong}/stop`, {})).status, 404)
    }
    assert.strictEqual((await site.stranger.get(`/${slug}/runs`)).status, 303)
    const other = await site.run(Seed.workspace)
    assert.strictEqual((await (await site.as(other.slug)).get(`/${other.slug}/runs/run-hhhh`)).status, 404)
    const foreign = { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
    for (const act of ["stop", "retry"])
      assert.strictEqual((await member.post(`/${slug}/runs/run-wwww/${act}`, {}, foreign)).status, 403)
    assert.include(await page("runs/run-wwww"), "Queued")
  })
})
