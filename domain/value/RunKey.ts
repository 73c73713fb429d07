import { Schema } from "effect"
import * as Key from "./Key.ts"

export const RunKey = Schema.String.pipe(
  Schema.pattern(Key.shape("run"), { message: () => "must be a run key such as run-7f3k" }),
  Schema.brand("RunKey")
)
export type RunKey = typeof RunKey.Type
