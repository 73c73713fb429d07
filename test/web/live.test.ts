import { Duration, Effect, Layer, Option, Redacted } from "effect"
import { request } from "node:http"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { LivePace } from "../../adapters/http/web/LivePages.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import * as Members from "../../application/workspace/Members.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { open, type Site } from "./Visiting.ts"
import { session } from "../support/Sessions.ts"

const pace = { beat: Duration.millis(200), check: Duration.millis(50), gather: Duration.millis(50), kept: 500 }

/** A page's stream: waits for an event with a text, or for its end. */
const listen = (url: string, path: string, cookie: string) => {
  let text = ""
  let hasEnded = false
  const waiting: Array<() => void> = []
  const wake = () => waiting.splice(0).forEach((one) => one())
  const sent = request(
    `${url}${path}`,
    { headers: { cookie, accept: "text/event-stream" }, agent: false },
    (response) => {
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        wake()
      })
      response.on("close", () => {
        hasEnded = true
        wake()
      })
    }
  )
  sent.on("error", () => wake())
  sent.end()
  const until = async (isDone: () => boolean): Promise<void> => {
    while (!isDone()) await new Promise<void>((resume) => waiting.push(resume))
  }
  return {
    hears: async (words: RegExp) => {
      await until(() => words.test(text))
      return text
    },
    ends: () => until(() => hasEnded),
    close: () => sent.destroy()
  }
}

describe("live pages", () => {
  let site: Site
  let slug: WorkspaceSlug
  let cookie: string
  beforeAll(async () => {
    site = await open({}, null, Layer.succeed(LivePace, pace))
    slug = (await site.run(Seed.workspace)).slug
    await site.run(Seed.load(slug, Seed.small))
    cookie = `gatehouse=${await site.run(session(slug, "member"))}`
  })
  afterAll(() => site?.close())

  it("names what changed and nothing of the entry, and goes on from a position", async () => {
    const page = await (await site.as(slug)).get(`/${slug}/decisions`)
    const after = /data-after="(\d+)"/.exec(page.text)?.[1] ?? ""
    const stream = listen(site.url, `/live/${slug}?after=${after}`, cookie)
    await stream.hears(/event: beat/)
    await site.run(
      Effect.flatMap(People.person(slug, "member"), (person) =>
        Decisions.answer(person, {
          decision: "dec-aaaa" as DecisionKey,
          optionId: "yes",
          note: "secret words",
          idempotency: null
        })
      )
    )
    const text = await stream.hears(/event: change\nid: \d+\ndata: .*dec-aaaa/)
    stream.close()
    assert.match(text, /data: decisions dec-aaaa run-aaaa/)
    assert.notMatch(text, /secret words|Mika|decision_resolved|Plan\?/)
    const again = listen(site.url, `/live/${slug}?after=${after}`, cookie)
    await again.hears(/dec-aaaa/)
    again.close()
    const far = listen(site.url, `/live/${slug}?after=999999999`, cookie)
    await far.hears(/event: reset\nid: \d+/)
    far.close()
  })

  it("names the story of a run that begins, in whatever column the story is", async () => {
    const doing = { key: "PAY-7", team: "payments", title: "Busy", column: { role: "in_progress" } }
    await site.run(Seed.load(slug, { stories: [doing] }))
    const stream = listen(site.url, `/live/${slug}`, cookie)
    await stream.hears(/event: beat/)
    await site.run(Effect.flatMap(People.person(slug, "member"), (person) => Runs.start(person, "PAY-7" as StoryKey)))
    await stream.hears(/data: runs run-\w{4} PAY-7\n/)
    stream.close()
  })

  it("ends when the member is removed", async () => {
    const own = `gatehouse=${await site.run(session(slug, "admin"))}`
    const stream = listen(site.url, `/live/${slug}`, own)
    await stream.hears(/event: beat/)
    await site.run(Members.remove(bySystem, { workspace: slug, email: People.emailOf("admin") }))
    await stream.ends()
  })

  it("ends when a new session of the same browser replaces the reader's", async () => {
    const token = await site.run(session(slug, "member"))
    const [replaced, kept] = await Promise.all(
      [`gatehouse=${token}`, cookie].map(async (own) => {
        const stream = listen(site.url, `/live/${slug}`, own)
        await stream.hears(/event: beat/)
        return stream
      })
    )
    await site.run(
      Effect.gen(function* () {
        const { url } = yield* SignIn.makeLink({ workspace: slug, email: People.emailOf("owner") })
        const link = Redacted.make(Redacted.value(url).split("/").at(-1) ?? "")
        const client = { userAgent: null, address: "192.0.2.7", requestId: null }
        yield* SignIn.useLink(link, { ...client, session: Option.some(Redacted.make(token)) })
      })
    )
    await replaced?.ends()
    await kept?.hears(/event: beat[^]*event: beat/)
    kept?.close()
  })

  it("is for members alone", async () => {
    const other = (await site.run(Seed.workspace)).slug
    assert.strictEqual((await site.stranger.get(`/live/${slug}`)).status, 401)
    assert.strictEqual((await site.stranger.get(`/live/${other}`, { cookie })).status, 404)
    assert.strictEqual((await site.stranger.post(`/live/${slug}`, {}, { cookie })).status, 405)
  })
})
