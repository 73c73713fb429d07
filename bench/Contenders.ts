import { built } from "./Building.ts"
import type { Size } from "./Dataset.ts"
import type { Name } from "./report/Figures.ts"
import { type Work, works } from "./Load.ts"
import type { Send } from "./Loading.ts"
import type { Plan } from "./Plan.ts"
import { quiet } from "./Quiet.ts"
import { paths } from "./Requests.ts"
import type { Database, Service, Stage } from "./Stage.ts"
import { type Depth, walk } from "./Walking.ts"

export interface Contender extends Service {
  readonly name: Name
  /** Deep pages of the decisions and of the filtered audit log. */
  readonly deep: { readonly page: Depth; readonly audit: Depth }
}

export type Contenders = Readonly<Record<Name, Contender>>

const connectionsOf = (work: Work, usual: number) => (work === "export" || work === "intake-batch" ? 4 : usual)

/** The amount of a work: exports and batches are large, and few are sent at once; the log is read at depth. */
export const amountOf = (plan: Plan, contender: Contender, work: Work, requests: number) => ({
  requests,
  connections: connectionsOf(work, plan.connections),
  ...(work === "audit" ? { paths: contender.deep.audit.paths } : {})
})

const passes = 3

/** Alternates the works, as the measurement does: a process often recompiles code for one work after another. */
const warmUp = async (stage: Stage, plan: Plan, send: Send, contender: Contender) => {
  for (let pass = 0; pass < passes; pass++)
    for (const work of works) {
      await send(contender, work, amountOf(plan, contender, work, plan.warmUp[work]))
      await quiet(stage, contender)
    }
}

export type Databases = Readonly<Record<Name, Database>>

/** The same data for all services. */
export const databases = async (stage: Stage, size: Size): Promise<Databases> => {
  const { database: ours } = await stage.create("ours", size)
  return {
    ours,
    ordinary: await stage.copy(ours, "peer_ordinary"),
    named: await stage.copy(ours, "peer_named"),
    limit: await stage.copy(ours, "peer_limit")
  }
}

export const start = (stage: Stage, name: Name, database: Database) =>
  stage.start(name, name === "ours" ? built.ours : built.peer, database, { VARIANT: name })

/** Starts our service and the three peers, each on its own database, warm and idle. */
export const enter = async (stage: Stage, plan: Plan, send: Send, on: Databases): Promise<Contenders> => {
  const open = async (name: Name): Promise<Contender> => {
    const service = await start(stage, name, on[name])
    const [page, audit] = [await walk(service, paths.page), await walk(service, paths.audit)]
    const contender = { ...service, name, deep: { page, audit } }
    await warmUp(stage, plan, send, contender)
    return contender
  }
  return {
    ours: await open("ours"),
    ordinary: await open("ordinary"),
    named: await open("named"),
    limit: await open("limit")
  }
}
