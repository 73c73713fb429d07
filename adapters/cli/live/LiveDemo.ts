// @effect-diagnostics globalFetch:off
import { createInterface } from "node:readline"
import { isAbsolute, join, resolve } from "node:path"
import { Console, Effect, Exit, type Redacted } from "effect"
import * as Authorization from "../../../application/workspace/Authorization.ts"
import { DecisionStore } from "../../../application/ports/DecisionStore.ts"
import { RunStore } from "../../../application/ports/RunStore.ts"
import * as Decisions from "../../../application/work/Decisions.ts"
import * as Demo from "../../../application/work/Demo.ts"
import * as LiveDemo from "../../../application/work/LiveDemo.ts"
import * as Runs from "../../../application/work/Runs.ts"
import * as Tokens from "../../../application/workspace/Tokens.ts"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import type { DecisionKey, DecisionView } from "../../../domain/work/Decision.ts"
import type { RunView } from "../../../domain/work/Run.ts"
import { isOver } from "../../../domain/work/RunTransitions.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import type { WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import * as Settings from "../../Settings.ts"
import demoDocument from "../demo.json" with { type: "json" }
import { usage } from "../Options.ts"
import * as Repository from "./Repository.ts"
import * as RunnerChild from "./RunnerChild.ts"

type Run = typeof RunView.Encoded
type Decision = typeof DecisionView.Encoded

const workspace = "demo" as WorkspaceSlug

/** Time between two looks at the run. */
const pause = "500 millis"

const answers = (url: string) =>
  Effect.promise(() =>
    fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
      ({ ok }) => ok,
      () => false
    )
  )

/** Asks at the terminal; ends when the answer came from elsewhere. */
const typed = (decision: Decision) =>
  Effect.async<string>((resume) => {
    const reader = createInterface({ input: process.stdin, output: process.stdout })
    const ask = () =>
      reader.question(`Your answer, 1 to ${decision.options.length}: `, (line) => {
        const chosen = decision.options[Number(line.trim()) - 1]
        if (chosen === undefined) return ask()
        reader.close()
        resume(Effect.succeed(chosen.id))
      })
    ask()
    return Effect.sync(() => reader.close())
  })

const shown = (decision: Decision, link: string) =>
  [
    "",
    `${decision.key}: ${decision.title}`,
    ...decision.body.split("\n").map((line) => `    ${line}`),
    ...decision.options.map(
      ({ label, recommended }, index) => `  ${index + 1}. ${label}${recommended ? " (recommended)" : ""}`
    ),
    `Answer here, or in the app: ${link}`
  ].join("\n")

/** Drives one story from Ready to merged: a real repository, a real runner, a scripted agent, and a person who decides. */
export const play = Effect.fn("LiveDemo.play")(function* (
  isAnswered: boolean,
  say: (line: string) => Effect.Effect<void> = Console.log
) {
  const url = yield* Settings.ownUrl
  if (!(yield* answers(url)))
    return yield* Effect.fail(usage(`The service does not answer at ${url}. Start it in another terminal: npm start`))
  yield* Demo.onFirstStart(demoDocument)
  const person = yield* Authorization.member(workspace, "owner@demo.test", "app")
  const data = yield* Settings.dataDir
  const folder = join(isAbsolute(data) ? data : resolve(data), "live-demo")
  const repository = yield* Repository.make(folder)
  yield* say(`A repository with one commit: ${repository}`)
  const { prefix, run, story, token } = yield* LiveDemo.prepare(person, repository)
  yield* say(`${story} is ready, and ${run} works on it. The agent is a script, not a model: it needs no keys.`)
  yield* worked(url, person, run, token, isAnswered, say).pipe(
    Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.ignore(Runs.stop(person, run)))),
    Effect.ensuring(Effect.ignore(Tokens.revoke(bySystem, { workspace, prefix })))
  )
  const end = yield* look(person, run)
  const log = yield* Repository.log(repository)
  const greeting = yield* Repository.file(repository, "greet.sh")
  yield* say(`\n${run} has ${end.status}. The main branch:\n\n${log.trimEnd()}\n\ngreet.sh:\n\n${greeting.trimEnd()}`)
  return { story, run, repository, status: end.status, pullRequest: end.pullRequest }
})

const look = (person: Authorization.Person, run: RunKey) =>
  Effect.map(
    Effect.flatMap(RunStore, (store) => store.get(person.workspace, run)),
    (json) => JSON.parse(json) as Run
  )

/** Lines of the runner's output that people follow. */
const messageOf = (line: string): string | null => {
  try {
    const { message } = JSON.parse(line) as { readonly message?: string }
    return message ?? null
  } catch {
    return null
  }
}

const worked = (
  url: string,
  person: Authorization.Person,
  key: RunKey,
  token: Redacted.Redacted,
  isAnswered: boolean,
  say: (line: string) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const child = yield* RunnerChild.start(url, LiveDemo.team, token, (line) => {
      const message = messageOf(line)
      if (message !== null) lines.push(message)
    })
    const seen = new Set<string>()
    let state = ""
    for (;;) {
      for (const line of lines.splice(0)) yield* say(`  runner: ${line}`)
      const run = yield* look(person, key)
      const now = `${run.status}, ${run.stage}`
      if (now !== state) yield* say(`${key}: ${now}`)
      state = now
      if (isOver(run.status)) return
      if (child.exitCode !== null)
        return yield* Effect.fail(usage(`The runner ended with exit code ${child.exitCode}.`))
      const pending = run.decisions.find(({ key, status }) => status === "pending" && !seen.has(key))
      if (pending !== undefined) {
        seen.add(pending.key)
        yield* decided(url, person, pending.key as DecisionKey, isAnswered, say)
      }
      yield* Effect.sleep(pause)
    }
  }).pipe(Effect.scoped)

const read = (person: Authorization.Person, key: DecisionKey) =>
  Effect.map(
    Effect.flatMap(DecisionStore, (store) => store.get(person.workspace, key)),
    (json) => JSON.parse(json) as Decision
  )

/** Shows a decision and waits for its answer, from this terminal or any channel. */
const decided = (
  url: string,
  person: Authorization.Person,
  key: DecisionKey,
  isAnswered: boolean,
  say: (line: string) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const decision = yield* read(person, key)
    yield* say(shown(decision, `${url}/${workspace}/decisions/${key}`))
    const elsewhere = Effect.repeat(Effect.delay(read(person, key), pause), {
      until: ({ status }) => status !== "pending"
    }).pipe(Effect.as(null))
    const here = isAnswered
      ? Effect.succeed(decision.recommendation)
      : process.stdin.isTTY
        ? typed(decision)
        : Effect.never
    const optionId = yield* Effect.raceFirst(here, elsewhere)
    if (optionId !== null)
      yield* Decisions.answer(person, { decision: key, optionId, note: null, idempotency: null }).pipe(
        Effect.catchTag("DecisionAlreadyResolved", () => Effect.void)
      )
    const { options, resolution, resolvedVia } = yield* read(person, key)
    const chosen = options.find(({ id }) => id === resolution?.optionId)
    yield* say(
      `${key}: answered "${chosen?.label ?? "nothing"}"${resolvedVia === null ? "" : ` through ${resolvedVia}`}`
    )
  })
