import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import { afterAll, beforeAll, describe } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import { formOf } from "../../adapters/http/web/Forms.ts"
import { type Reply, statusOfPage, type Visit } from "../../adapters/http/web/Page.ts"
import { redirect } from "../../adapters/http/web/Render.tsx"
import { once } from "../../adapters/http/web/SentOnce.ts"
import { Unavailable } from "../../application/ports/Health.ts"
import * as Seed from "../support/Seed.ts"
import { type Browser, openWith, type Site } from "./Visiting.ts"

const keyIn = (text: string) => /<input type="hidden" name="once" value="([^"]+)"/.exec(text)?.[1] ?? ""

describe("a form that is sent twice", () => {
  let site: Site
  let owner: Browser
  let base = ""
  beforeAll(async () => {
    const opened = await openWith({ teams: [{ slug: "pay", name: "Pay", keyPrefix: "PAY" }] })
    site = opened.site
    owner = await site.as(opened.slug)
    base = `/${opened.slug}`
  })
  afterAll(() => site?.close())

  const keyOf = async (path: string) => keyIn((await owner.get(`${base}/${path}`)).text)
  const story = (given: string, title: string) => ({
    once: given,
    title,
    description: "",
    acceptanceCriteria: "",
    demonstrate: "",
    testPlan: "",
    size: "",
    complexity: "",
    classOfService: "standard",
    begin: "backlog"
  })
  const told = "teams/pay/new-story"
  const sent = async (form: Record<string, string>) => {
    const { headers, status, text } = await owner.post(`${base}/${told}`, form)
    assert.strictEqual(status, 303, text)
    return headers["location"]
  }

  it("makes one story and leads to it, also at once and after a refusal; another text is another story", async () => {
    const given = await keyOf(told)
    assert.match(given, /^[0-9a-f-]{36}$/)
    assert.notStrictEqual(await keyOf(told), given)
    assert.strictEqual((await owner.post(`${base}/${told}`, story(given, ""))).status, 400)
    const both = await Promise.all([sent(story(given, "Refund")), sent(story(given, "Refund"))])
    assert.deepStrictEqual(both, [`${base}/stories/PAY-1`, `${base}/stories/PAY-1`])
    assert.strictEqual(await sent(story(given, "Refund")), `${base}/stories/PAY-1`)
    assert.strictEqual(await sent(story(given, "Refund all")), `${base}/stories/PAY-2`)
    assert.strictEqual(await sent(story(await keyOf(told), "Refund")), `${base}/stories/PAY-3`)
  })

  it("makes one token, and the next page says that it was shown", async () => {
    const form = { once: await keyOf("settings/api"), name: "twice", permissions: "read", lifetime: "30d" }
    const first = await owner.post(`${base}/settings/api`, form)
    assert.match(first.text, /tk_[A-Za-z0-9]{20,}/)
    const second = await owner.post(`${base}/settings/api`, form)
    assert.deepStrictEqual([second.status, second.headers["location"]], [303, `${base}/settings/api`])
    assert.include(String(second.headers["set-cookie"]), "gatehouse-done=token-shown")
    const { text } = await owner.get(`${base}/settings/api`)
    assert.lengthOf([...text.matchAll(/<b>twice<\/b>/g)], 1)
  })

  it.each([
    [told],
    ["new-team"],
    ["services"],
    ["sources/new?kind=generic"],
    ["settings/api"],
    ["settings/connections"],
    ["settings/members"],
    ["settings/places"],
    ["settings/runners"]
  ])("brings a key from the page %s", async (path) => {
    await owner.post(`${base}/services`, { name: "checkout", team: "pay" })
    assert.match(await keyOf(path), /^[0-9a-f-]{36}$/)
  })
})

it.layer(Memory.layer)("of a form with a key", (it) => {
  const visited = Effect.map(Seed.workspace, ({ id }) => {
    const form = formOf(new URLSearchParams({ once: crypto.randomUUID() }))
    return { form, person: { workspace: id }, signedIn: { session: { id: crypto.randomUUID() } } } as unknown as Visit
  })
  const done: Reply = redirect("/acme/there", "story-created")
  const location = (reply: Reply) => ("headers" in reply ? reply.headers["location"] : null)

  it.effect("the end is waited for, also when the browser left", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      const [begun, going] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Effect.as(Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(going)), done)
      const first = yield* Effect.fork(once(visit, "/acme/new", slow))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(first)
      const second = yield* Effect.fork(once(visit, "/acme/new", Effect.dieMessage("a second time")))
      yield* TestClock.adjust("1 seconds")
      yield* Deferred.succeed(going, undefined)
      yield* Effect.yieldNow()
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(location(yield* Fiber.join(second)), "/acme/there")
    })
  )

  it.effect("nobody repeats what may have been done", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      yield* Effect.exit(once(visit, "/acme/new", Effect.die(new Unavailable({ outcome: "unknown" }))))
      const second = yield* Effect.fork(Effect.flip(once(visit, "/acme/new", Effect.succeed(done))))
      yield* TestClock.adjust("5 seconds")
      const refused = yield* Fiber.join(second)
      assert.deepStrictEqual([refused._tag, statusOfPage(refused)], ["FormUnderWay", 409])
      assert.include(refused.message, "load the page of the form again")
    })
  )

  it.effect("a failure that changed nothing is forgotten", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      yield* Effect.exit(once(visit, "/acme/new", Effect.die(new Unavailable({}))))
      yield* Effect.exit(once(visit, "/acme/new", Effect.fail({ _tag: "AdminRequired", message: "" })))
      assert.strictEqual(location(yield* once(visit, "/acme/new", Effect.succeed(done))), "/acme/there")
    })
  )
})
