import type { Beside } from "../Alertmanager.ts"
import type { CodeHostFigures } from "../CodeHost.ts"
import type { Grown } from "../Comparing.ts"
import type { PageTime } from "../EveryPage.ts"
import type { Statements } from "../Counting.ts"
import type { Figure } from "./Figures.ts"
import type { Machine } from "../Machine.ts"
import type { ExportMemory, MixedMemory } from "../Memory.ts"
import type { Plan } from "../Plan.ts"
import type { Starts } from "../Starting.ts"

/** All results of a run. */
export interface Results {
  readonly plan: Plan
  readonly machine: Machine
  readonly figures: ReadonlyArray<Figure>
  /** Null where none is installed. */
  readonly alertmanager: Beside | null
  readonly growth: ReadonlyArray<Grown>
  /** REST reads and pages of the same data. */
  readonly app: ReadonlyArray<Grown>
  /** Every other page of the app. */
  readonly pages: ReadonlyArray<PageTime>
  /** REST reads and tools of agents with the same data. */
  readonly tools: ReadonlyArray<Grown>
  readonly codeHost: CodeHostFigures
  readonly statements: ReadonlyArray<Statements>
  readonly exports: ExportMemory
  readonly memory: MixedMemory
  readonly starts: Starts
}
