import { amountOf, type Contender, type Contenders } from "./Contenders.ts"
import { type Figure, figureOf, type Name, names, type Round, type Sample } from "./report/Figures.ts"
import { type Measured, perSecond, type Work, works } from "./Load.ts"
import type { Send } from "./Loading.ts"
import type { Plan } from "./Plan.ts"
import { quiet } from "./Quiet.ts"
import { alertsInBatch } from "./Requests.ts"
import type { Stage } from "./Stage.ts"

const inIncidents = "SELECT count(*)::int AS count FROM alerts WHERE incident IS NOT NULL"

/** Measures from the first post until every alert is in an incident. */
const batches = async (stage: Stage, contender: Contender, post: () => Promise<Measured>): Promise<Measured> => {
  const count = () =>
    stage.query(contender.database.name, async (client) => {
      const { rows } = await client.query<{ readonly count: number }>(inIncidents)
      return rows[0]?.count ?? 0
    })
  const before = await count()
  const posted = await post()
  await quiet(stage, { ...contender, name: "judging" })
  const seconds = (performance.timeOrigin + performance.now() - posted.began) / 1000
  const alerts = posted.requests * alertsInBatch
  const judged = (await count()) - before
  if (judged !== alerts) throw new Error(`${contender.name} has ${judged} of ${alerts} alerts in incidents`)
  return { ...posted, requests: alerts, seconds }
}

/** A service that leaves something out sends less. Spaces and cursors differ a little, the newest entries more. */
const compareSizes = (work: Work, bytes: Readonly<Record<Name, number>>) => {
  for (const name of names)
    if (Math.abs(bytes[name] / bytes.ours - 1) > (work === "export" ? 0.3 : 0.1))
      throw new Error(`${work}: ${name} answers ${bytes[name]} bytes where ours answers ${bytes.ours}`)
}

/** Runs all services in turns, a different one first each time, so that disturbances of the machine hit all. */
export const rounds = async (
  stage: Stage,
  plan: Plan,
  send: Send,
  contenders: Contenders,
  say: (line: string) => void
): Promise<ReadonlyArray<Figure>> => {
  const measured = new Map<Work, Array<Round>>(works.map((work) => [work, []]))

  const measure = async (name: Name, work: Work): Promise<Measured> => {
    const contender = contenders[name]
    const load = () => send(contender, work, amountOf(plan, contender, work, plan.requests[work]))
    const result = work === "intake-batch" ? await batches(stage, contender, load) : await load()
    await quiet(stage, contender)
    return result
  }

  for (let round = 0; round < plan.rounds; round++)
    for (const [turn, work] of works.entries()) {
      const samples: Partial<Record<Name, Sample>> = {}
      const bytes: Partial<Record<Name, number>> = {}
      for (let index = 0; index < names.length; index++) {
        const name = names[(round + turn + index) % names.length] as Name
        const result = await measure(name, work)
        samples[name] = { perSecond: perSecond(result), p50: result.p50, p99: result.p99 }
        bytes[name] = result.bytes
      }
      compareSizes(work, bytes as Record<Name, number>)
      measured.get(work)?.push(samples as Round)
      const told = names.map((name) => `${name} ${samples[name]?.perSecond.toFixed(0)}`)
      say(`round ${round + 1} of ${plan.rounds}: ${work}, per second: ${told.join(", ")}`)
    }
  return works.map((work) => figureOf(work, plan.requests[work] * plan.rounds, measured.get(work) ?? []))
}
