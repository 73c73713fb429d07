import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import type { Change } from "../../domain/Change.ts"
import type { SignalSource } from "../../domain/oncall/SignalSource.ts"

/** Audit entries of a replay. */
export const replaying = ({ id, name }: Pick<SignalSource, "id" | "name">): Change["audit"] => [
  Audit.fact(bySystem, "signal_source_changed", { type: "signal_source", id, name })
]
