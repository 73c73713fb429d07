import { Effect } from "effect"
import { assert } from "vitest"
import * as Runs from "../../../application/work/Runs.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { StoryKey } from "../../../domain/work/Story.ts"
import { RunStore } from "../../../application/ports/RunStore.ts"
import * as People from "../../support/People.ts"
import * as Seed from "../../support/Seed.ts"
import { type Answer, ask, type World } from "../../support/World.ts"

const stories = 40

const document = {
  teams: [
    {
      slug: "payments",
      name: "Payments",
      keyPrefix: "PAY",
      policy: { preset: "autonomous", executor: "custom", maxConcurrency: stories },
      repositories: ["/srv/git/pay.git"]
    }
  ],
  stories: Array.from({ length: stories }, (_, n) => ({
    key: `PAY-${n + 1}`,
    team: "payments",
    title: `Story ${n + 1}`
  }))
}

export const introduction = {
  protocol: 1,
  name: "build-1",
  version: "0.1.0",
  os: "linux",
  arch: "x64",
  slots: 2,
  executors: [{ name: "custom", version: "1" }],
  teams: ["payments"]
}

export const nobody = "00000000-0000-4000-8000-000000000000"

/** Requests of runners and agents to a service. */
export const wire = (url: string) => {
  const post = (path: string, token: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
    ask(url, `/runner/v1${path}`, {
      method: "POST",
      ...(token !== undefined && { token }),
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    })
  const hello = async (token: string, more: object = {}): Promise<string> => {
    const { body, status, text } = await post("/hello", token, { ...introduction, ...more })
    assert.strictEqual(status, 200, text)
    return body.runner
  }
  const lease = (token: string, runner: string, waitSeconds = 0) =>
    post("/lease", token, { runner, executors: ["custom"], waitSeconds })
  return { post, hello, lease, get: (path: string, token: string) => ask(url, `/runner/v1${path}`, { token }) }
}

export type Wire = ReturnType<typeof wire>

/** A workspace with stories that runners may work on, and its owner's token. */
export const arrange = async (world: World) => {
  const { id, slug } = await world.run(Seed.workspace)
  await world.run(Seed.load(slug, document))
  const owner = await world.run(People.person(slug))
  const { prefix, value: token } = await world.run(Seed.token(slug))
  let started = 0
  /** Queues a run of the next story. */
  const queue = async (): Promise<RunKey> =>
    (await world.run(Runs.start(owner, `PAY-${++started}` as StoryKey))).run.key
  const view = async (run: RunKey) =>
    JSON.parse(await world.run(Effect.flatMap(RunStore, (store) => store.get(id, run))))
  return { id, slug, owner, token, prefix, queue, view }
}

export type Place = Awaited<ReturnType<typeof arrange>>

/** The lease of a run that a new runner takes. */
export const granted = async ({ hello, lease }: Wire, { queue, token }: Place) => {
  const run = await queue()
  const runner = await hello(token)
  const { body, status, text } = await lease(token, runner)
  assert.strictEqual(status, 200, text)
  assert.strictEqual(body.run.key, run)
  return {
    run,
    runner,
    fence: body.fence as number,
    path: `/leases/${body.id}`,
    credential: body.credential as string,
    body
  }
}

export const report = (fence: number, seq: number, facts: ReadonlyArray<unknown> = [], log = "") => ({
  fence,
  seq,
  facts,
  log
})

/** Headers of every response of the wire. */
export const assertCommon = ({ headers }: Answer) => {
  assert.strictEqual(headers["x-ratelimit-limit"], "600")
  assert.match(headers["x-ratelimit-remaining"] ?? "", /^\d+$/)
  assert.match(headers["x-ratelimit-reset"] ?? "", /^\d+$/)
  assert.match(headers["x-request-id"] ?? "", /^[\w.:-]{1,128}$/)
  assert.deepStrictEqual([headers["cache-control"], headers["x-content-type-options"]], ["no-store", "nosniff"])
}

export const assertRefused = (answer: Answer, status: number, code: string, part = "") => {
  assertCommon(answer)
  assert.deepStrictEqual([answer.status, answer.body?.error?.code], [status, code], answer.text)
  assert.deepStrictEqual(Object.keys(answer.body), ["error"])
  assert.deepStrictEqual(Object.keys(answer.body.error), ["code", "message"])
  assert.include(answer.body.error.message, part)
}
