import { Duration, Effect } from "effect"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AgentEvent, Task } from "../../../adapters/runner/agent/Agent.ts"
import { parity, type Prices } from "../../../adapters/runner/agent/Prices.ts"
import { type Program, programAgent } from "../../../adapters/runner/agent/ProgramAgent.ts"

export const prices: Prices = { version: "test-1", eurPerUsd: 0.5, models: { fake: { input: 100, output: 1000 } } }

export const line = (event: object) => `echo '${JSON.stringify(event)}'`
/** Lets a script play the program, as badly as the real one may behave. */
export const played = Effect.fn(function* (
  program: Program,
  script: string,
  more: Partial<Omit<Task, "on">> & {
    readonly clocks?: object
    readonly prices?: Prices
    /** Called with each event, and the folder of the program. */
    readonly seeing?: (event: AgentEvent, folder: string) => void
  } = {}
) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "gh-agent-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  writeFileSync(join(folder, program.command), `#!/bin/sh\n${script}\n`)
  chmodSync(join(folder, program.command), 0o755)
  const events: Array<AgentEvent> = []
  const { clocks = {}, prices: table = parity, seeing, ...rest } = more
  const agent = programAgent(program, { version: "1", clocks, prices: table, patience: Duration.millis(300) })
  const outcome = yield* agent.work({
    step: "implement",
    prompt: "Do it.",
    folder,
    env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, GATEHOUSE_MCP_URL: "http://127.0.0.1:9/secret" },
    isolation: { account: undefined, prefix: [] },
    session: null,
    mcp: { url: "http://127.0.0.1:9/secret", isConnected: () => true },
    budgetCents: 500,
    on: (event) => {
      events.push(event)
      seeing?.(event, folder)
    },
    onStart: () => {},
    ...rest
  })
  const of = <Type extends AgentEvent["type"]>(type: Type) =>
    events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type)
  return { outcome, events, of, file: (name: string) => readFileSync(join(folder, name), "utf8") }
})

export const words = ({ outcome }: Effect.Effect.Success<ReturnType<typeof played>>) =>
  outcome.type === "failed" ? (outcome.problem?.words ?? outcome.ending.type) : outcome.type
export const classOf = ({ outcome }: Effect.Effect.Success<ReturnType<typeof played>>) =>
  outcome.type === "failed" ? (outcome.problem?.failureClass ?? outcome.ending.type) : null
