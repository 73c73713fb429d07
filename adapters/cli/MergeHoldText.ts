import { Schema } from "effect"
import { describe, MergeHold } from "../../domain/work/MergeHold.ts"

const decode = Schema.decodeSync(MergeHold)

export const heldBy = (hold: typeof MergeHold.Encoded): string => describe(decode(hold))
