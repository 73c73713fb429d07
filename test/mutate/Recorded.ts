import type { Test } from "vitest"

/** Global variables of the instrumented files. */
interface Namespace {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: {
    readonly static: Readonly<Record<string, number>>
    readonly perTest: Readonly<Record<string, Readonly<Record<string, number>>>>
  }
}

const global = globalThis as { __stryker__?: Namespace }
export const namespace: Namespace = (global.__stryker__ ??= {})

/** A test that ran without a mutant. */
export interface Recorded {
  readonly test: Test
  /** How often it passed each mutant. */
  readonly hits: ReadonlyMap<string, number>
}

/** Tests of all files of this process. */
export const recorded: Array<Recorded> = []
