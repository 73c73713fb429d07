import type { Introduction, RunnerContext } from "../../../domain/runner/ChangeRunner.ts"
import { Runner } from "../../../domain/runner/Runner.ts"
import type { RunnerId } from "../../../domain/work/Lease.ts"
import type { TokenId } from "../../../domain/workspace/ApiToken.ts"
import * as Sample from "../Sample.ts"

export const id = (n: number) => `00000000-0000-4000-a000-${String(n).padStart(12, "0")}` as RunnerId
export const token = "00000000-0000-4000-b000-000000000001" as TokenId
export const given: Introduction = {
  name: "build-1",
  version: "0.1.0",
  os: "linux",
  arch: "x64",
  slots: 1,
  executors: [{ name: "custom", version: "1.2 (beta)" }],
  teams: []
}

export const runner = (more: Partial<Runner> = {}) =>
  new Runner({
    ...given,
    id: id(1),
    token,
    registeredAt: Sample.before,
    lastSeenAt: Sample.before,
    drainingAt: null,
    offlineAt: null,
    removedAt: null,
    ...more
  })

export const context = (more: Partial<RunnerContext> = {}): RunnerContext => ({
  now: Sample.now,
  runner: null,
  held: [],
  registered: 0,
  idle: null,
  ...more
})
