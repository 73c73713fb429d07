import { listed } from "./Case.ts"
import { onCallPorts } from "./OnCallPorts.ts"
import { forAll, once } from "./Sweeps.ts"
import { useCases } from "./UseCases.ts"
import { workPorts } from "./WorkPorts.ts"

/** Of the ports. */
export const asked = [...listed(workPorts), ...listed(onCallPorts)]

export const cases = [...asked, ...listed(useCases), ...listed(forAll, "alike"), ...listed(once, "free")]

/** What is played, by method or use case. */
export const played = new Set(cases.map(({ name }) => name.split(":")[0] ?? ""))
