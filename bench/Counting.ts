import { type Databases, start } from "./Contenders.ts"
import { type Name, names } from "./report/Figures.ts"
import type { Send } from "./Loading.ts"
import type { Plan } from "./Plan.ts"
import { quiet } from "./Quiet.ts"
import type { Stage } from "./Stage.ts"

export const counted = ["page", "one", "teams", "resolve", "intake"] as const

/** Statements per request, with BEGIN and COMMIT; for an intake, until triage is done. */
export interface Statements {
  readonly name: Name
  readonly work: (typeof counted)[number]
  readonly connections: number
  readonly perRequest: number
}

/**
 * As Postgres counts them; a service's own background statements are included. It does not count statements prepared
 * before the count began, so services are started for this alone.
 */
export const counting = (stage: Stage, plan: Plan, send: Send, on: Databases) =>
  stage.whileCounting(async (sentTo) => {
    const all: Array<Statements> = []
    for (const name of names) {
      const service = await start(stage, name, on[name])
      for (const work of counted)
        for (const connections of [1, plan.connections]) {
          const amount = { requests: plan.statements, connections }
          await send(service, work, amount)
          await quiet(stage, service)
          const before = await sentTo(service.database.name)
          await send(service, work, amount)
          if (work === "intake") await quiet(stage, service)
          const perRequest = ((await sentTo(service.database.name)) - before) / plan.statements
          all.push({ name, work, connections, perRequest })
        }
      await service.close()
    }
    return all
  })
