import { Duration, Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { Trackers } from "../../application/ports/tracker/Trackers.ts"
import * as MirrorTracker from "../../application/work/tracker/MirrorTracker.ts"
import * as Authorization from "../../application/workspace/Authorization.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { newConnection } from "../application/house.ts"
import * as Seed from "../support/Seed.ts"
import { entries, hostile, markup } from "./OnCallDesk.ts"
import { type Browser, open, pageOf, type Site } from "./Visiting.ts"

const writer = { name: "wanda", mayWrite: true }
const stranger = { name: "mallory", mayWrite: false }

describe("the tracker of a team", () => {
  const fake = MemoryTracker.make({ labels: ["ready", "refining"] })
  const trackers = Layer.succeed(Trackers, () => fake.tracker)
  let site: Site
  let id: WorkspaceId
  let slug: WorkspaceSlug
  let owner: Browser
  let member: Browser
  beforeAll(async () => {
    site = await open({}, null, trackers as unknown as Layer.Layer<never>)
    ;({ id, slug } = await site.run(Seed.workspace))
    await site.run(Seed.load(slug, { teams: [{ slug: "payments", name: "Payments", keyPrefix: "PAY" }] }))
    ;[owner, member] = [await site.as(slug), await site.as(slug, "member")]
    await Effect.runPromise(
      Effect.gen(function* () {
        yield* fake.people.open(writer, { title: `Pay ${hostile}`.slice(0, 300), body: "Text", labels: ["ready"] })
        yield* fake.people.open(stranger, { title: "Refund", body: "", labels: [] })
      })
    )
  })
  afterAll(() => site?.close())

  const path = (more = "") => `/${slug}/teams/payments/tracker${more}`
  const form = { connection: "enterprise", project: "acme/pay", columns: "ready=ready\nrefining=refining" }
  const post = (fields: Readonly<Record<string, string>>, by = owner) => by.post(path(), { ...form, ...fields })

  it("is shown to members, who are told that an admin binds it", async () => {
    assert.include(await pageOf(member, path()), "An admin binds the team")
    assert.include(await pageOf(owner, path()), "Connect GitHub")
    assert.include(await pageOf(owner, `/${slug}/teams/payments/settings`), "Bind a project")
    assert.strictEqual((await owner.get(path("/unbind"))).status, 409)
    await site.run(
      Effect.gen(function* () {
        yield* Connections.create(yield* Authorization.member(slug, Seed.ownerEmail, "app"), newConnection)
      })
    )
    assert.include(await pageOf(owner, path()), "Show the stories that would come")
    assert.notInclude(await pageOf(member, path()), "Show the stories that would come")
  })

  it("is bound by an admin alone, after a dry run that keeps nothing", async () => {
    for (const step of ["check", "bind"]) assert.strictEqual((await post({ step }, member)).status, 403)
    assert.deepStrictEqual(await site.run(entries(id, 1)), ["access_denied denied app"])
    for (const [fields, words] of [
      [{ project: "" }, "Enter the project"],
      [{ columns: "ready=moon" }, "one of backlog"],
      [{ connection: "nobody" }, "Choose one of the connections"],
      [{ columns: "ready=ready\nready=review" }, "is mapped twice"],
      [{ columns: hostile.replaceAll("\n", " ") }, "must be a label"]
    ] as const) {
      const wrong = await post({ ...fields, step: words.includes("twice") ? "bind" : "check" })
      assert.strictEqual(wrong.status, 400, words)
      assert.include(wrong.text.replaceAll("&#39;", "'"), words)
      assert.deepStrictEqual(markup(wrong.text), [])
    }
    const dry = await post({ step: "check", columns: `${form.columns}\nodd=review` })
    assert.strictEqual(dry.status, 200, dry.text)
    for (const words of ["2 issues", "Ready: 1", "has no label “odd”", "No label means In progress", "Bind the team"])
      assert.include(dry.text, words)
    assert.deepStrictEqual(markup(dry.text), [])
    assert.include(await pageOf(member, path()), "No project is bound")
  })

  it("shows how far its mirror is, its mapping and its trouble", async () => {
    assert.strictEqual((await post({ step: "bind", only: "ready" })).status, 303)
    const first = await pageOf(member, path())
    for (const words of ["acme/pay in GitHub", "First mirror", "It begins within a minute", "Not yet", "enterprise"])
      assert.include(first, words)
    await site.run(
      Effect.gen(function* () {
        const { list, now, progress } = yield* TrackerStore
        const [state] = yield* list(id)
        if (state === undefined) return assert.fail("no team is bound")
        const sweep = { number: 1, cursor: null, read: 3, total: 7, isRead: false, startedAt: yield* now }
        yield* progress(id, state.binding, { ...state.sync, sweep }, Duration.zero)
      })
    )
    assert.include(await pageOf(member, path()), "3 of 7 issues read since")
    await site.run(Effect.provide(MirrorTracker.round(), trackers))
    const whole = await pageOf(member, path())
    for (const words of [
      "All issues were read",
      "1 issue with a story",
      "0 changes and 0 approved drafts",
      "Only issues with"
    ])
      assert.include(whole, words)
    assert.include(await pageOf(member, `/${slug}/teams/payments`), "/teams/payments/tracker")
    assert.include(await pageOf(owner, path()), "ready=ready\nrefining=refining")
  })

  it("is unbound by an admin, who reads what stays", async () => {
    assert.include(await pageOf(owner, path("/unbind")), "Its story stays")
    assert.include(await pageOf(member, path("/unbind")), "takes an admin")
    assert.strictEqual((await member.post(path("/unbind"), {})).status, 403)
    for (const _ of [1, 2]) assert.strictEqual((await owner.post(path("/unbind"), {})).status, 303)
    assert.include(await pageOf(owner, path()), "No project is bound")
  })
})
