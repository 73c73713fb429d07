import { connectionPorts } from "./ConnectionCases.ts"
import { trackerOnce, trackerPorts } from "./TrackerCases.ts"
import { listed } from "./Case.ts"
import { onCallPorts } from "./OnCallPorts.ts"
import { runnerPorts } from "./RunnerPorts.ts"
import { forAll, once } from "./Sweeps.ts"
import { useCases } from "./UseCases.ts"
import { workPorts } from "./WorkPorts.ts"

/** Rows that a contrary twin's decision of the same key is about. */
const unneeded = (own: string) => [
  `workspaces WHERE id = '${own}'`,
  `runs WHERE workspace_id = '${own}' AND key = 'run-cccc'`,
  `stories WHERE workspace_id = '${own}' AND key = 'PAY-4'`
]

/** Cases of the ports. */
export const asked = [
  ...listed(workPorts),
  ...listed(onCallPorts),
  ...listed(runnerPorts),
  ...listed(connectionPorts),
  ...listed(trackerPorts)
].map((one) => (one.name === "DecisionStore.change: with a kept answer" ? { ...one, unneeded } : one))

export const cases = [
  ...asked,
  ...listed(useCases),
  ...listed(forAll, "alike"),
  ...listed({ ...once, ...trackerOnce }, "free")
]

/** Played methods and use cases. */
export const played = new Set(cases.map(({ name }) => name.split(":")[0] ?? ""))
