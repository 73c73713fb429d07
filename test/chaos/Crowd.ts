import { SqlClient } from "@effect/sql"
import { assert } from "vitest"
import { Effect } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { decisionKey, pick, resolve, waiting } from "../races/Scene.ts"
import * as Seed from "../support/Seed.ts"
import { signed, source, unixNow } from "../support/Source.ts"
import { type Answer, ask } from "../support/World.ts"
import type { Station } from "../support/Station.ts"
import { problems, type Seen } from "./History.ts"

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const question = { kind: "plan_approval", actions: ["approve_plan", "reject"] } as const

/** One refused attempt of a request, and its duration. */
export interface Refused {
  readonly at: number
  readonly took: number
  readonly status: number | null
}

/**
 * Clients that answer decisions two at a time and read them, and a tool that posts alerts; all of them retry until they
 * succeed, at any running instance.
 */
export const crowd = async (at: Station, urls: () => ReadonlyArray<string>, decisions: number) => {
  const { path, secret, slug, workspace } = await at.run(source())
  const { teams: _, ...rest } = waiting(Array.from({ length: decisions }, () => question))
  await at.run(Seed.load(slug, rest))
  const tokens = await Promise.all(
    Array.from({ length: Math.ceil(decisions / 15) + 3 }, () => at.run(Seed.token(slug, ["read", "write"])))
  )
  const refused: Array<Refused> = []
  const taken: Array<number> = []
  const histories = Array.from({ length: decisions }, (): Array<Seen> => [])
  let [alerts, turn, longest] = [0, 0, 0]
  let [requests, failedOnce, failedTwice] = [0, 0, 0]
  let isOver = false

  /** Retries at the next instance until one of them handles the request. */
  const insist = async (what: string, send: (url: string) => Promise<Answer>): Promise<Answer> => {
    const began = performance.now()
    const first = turn++
    let failed = 0
    requests++
    for (let tries = 0; ; tries++) {
      const before = performance.now()
      const answer = await send(pick(urls(), first + tries)).catch(() => null)
      const after = performance.now()
      if (answer !== null && ![429, 503].includes(answer.status)) {
        taken.push(after)
        longest = Math.max(longest, after - began)
        return answer
      }
      refused.push({ at: before, took: after - before, status: answer?.status ?? null })
      if (answer?.status !== 429) failed++
      if (failed === 1) failedOnce++
      if (failed === 2) failedTwice++
      if (after - began > 180_000) throw new Error(`${what} was never answered: ${answer?.text ?? "no answer"}`)
      await pause(answer?.status === 429 ? 1000 : 25)
    }
  }

  const answerOf = async (index: number, who: 0 | 1) => {
    const option = question.actions[who]
    const token = pick(tokens, index * 2 + who).value
    const began = performance.now()
    const answer = await insist(`answer ${index} ${option}`, (url) =>
      resolve(url, token, decisionKey(index), { optionId: option, idempotencyKey: `${index}-${option}` })
    )
    assert.include([200, 409], answer.status, answer.text)
    const saw = answer.status === 200 ? option : /with 'Do (\w+)'/.exec(answer.text)?.[1]
    assert.isDefined(saw, answer.text)
    histories[index]?.push({ did: "answer", option, began, ended: performance.now(), saw })
  }
  const look = async (index: number) => {
    const token = pick(tokens, index + 1).value
    const began = performance.now()
    const answer = await insist(`look at ${index}`, (url) => ask(url, `/v1/decisions/${decisionKey(index)}`, { token }))
    assert.strictEqual(answer.status, 200, answer.text)
    const saw = (answer.body.resolution?.optionId ?? null) as string | null
    histories[index]?.push({ did: "read", option: null, began, ended: performance.now(), saw })
  }
  const alert = async (index: number) => {
    const body = JSON.stringify({ title: `Alert ${index}`, severity: "critical", fingerprint: `fp-${index}` })
    const headers = signed(secret, body, unixNow())
    const answer = await insist(`alert ${index}`, (url) => ask(url, path, { method: "POST", body, headers }))
    assert.strictEqual(answer.status, 202, answer.text)
  }

  const indexes = histories.keys()
  const answering = async () => {
    for (const index of indexes) {
      if (isOver) return
      await Promise.all([look(index), answerOf(index, 0), answerOf(index, 1), look(index)])
      await look(index)
    }
  }
  const alerting = async () => {
    while (!isOver) await alert(alerts++)
  }
  const work = Promise.all([...Array.from({ length: 4 }, answering), ...Array.from({ length: 4 }, alerting)])
  // A waiting caller gets the failure.
  work.catch(() => {})

  return {
    workspace,
    token: () => pick(tokens, turn++).value,
    refused,
    /** Failures seen by a client that never retries, and by one that retries once at the other instance. */
    clients: () => ({ requests, failedOnce, failedTwice }),
    /** Times of the answers, in order. */
    taken,
    /** Waits for that many answers from now on. */
    until: async (more: number) => {
      const enough = taken.length + more
      while (taken.length < enough) await Promise.race([pause(5), work.then(() => pause(5))])
    },
    /** Lets all clients finish, and checks the remaining state. */
    end: async () => {
      isOver = true
      await work
      const look = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [kept] = yield* sql<Record<string, number | null>>`
          SELECT count(*) FILTER (WHERE d.status IN ('waiting', 'replayed'))::int AS waiting,
            count(*) FILTER (WHERE d.status = 'failed')::int AS failed,
            (SELECT count(*)::int FROM alerts a WHERE a.workspace_id = ${workspace}) AS alerts,
            (SELECT max(a.count) FROM alerts a WHERE a.workspace_id = ${workspace}) AS most
          FROM deliveries d WHERE d.workspace_id = ${workspace}`
        const ends = yield* sql<{ readonly key: string; readonly option: string | null; readonly told: number }>`
          SELECT d.key, d.resolution->>'optionId' AS option, (SELECT count(*)::int FROM audit_entries e
            WHERE e.workspace_id = d.workspace_id AND e.entity_id = d.key AND e.event = 'decision_resolved') AS told
          FROM decisions d WHERE d.workspace_id = ${workspace} ORDER BY d.key`
        return { kept, ends }
      })
      const deadline = performance.now() + 60_000
      for (;;) {
        const { ends, kept } = await at.run(look)
        if ((kept?.["waiting"] ?? 0) > 0 && performance.now() < deadline) {
          await pause(50)
          continue
        }
        assert.deepStrictEqual(kept, { waiting: 0, alerts, most: alerts === 0 ? null : 1, failed: 0 })
        const found = histories.flatMap((history, index) =>
          problems(history, ends[index]?.option ?? null).map((problem) => `${decisionKey(index)}: ${problem}`)
        )
        assert.deepStrictEqual(found, [])
        for (const { key, option, told } of ends) assert.strictEqual(told, option === null ? 0 : 1, key)
        break
      }
      assert.isNull((await at.run(Effect.flatMap(AuditLog, (log) => log.verify(workspace)))).firstBad)
      const answered = histories.filter((history) => history.length > 0).length
      const tried = refused.length
      return {
        answered,
        alerts,
        figures: `${answered} decisions raced for and ${alerts} alerts, 0 lost, 0 doubled, every history linearizable; ${tried} tries were not taken, the longest request took ${(longest / 1000).toFixed(1)} s with its retries`
      }
    }
  }
}
export type Crowd = Awaited<ReturnType<typeof crowd>>
