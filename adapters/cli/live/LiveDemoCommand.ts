// @effect-diagnostics globalFetch:off
import { createInterface } from "node:readline"
import { join, resolve } from "node:path"
import { Console, Data, Effect, Exit } from "effect"
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
import { program } from "../Wording.ts"
import * as Repository from "./DemoRepository.ts"
import * as RunnerChild from "./RunnerChild.ts"

type Run = typeof RunView.Encoded
type Decision = typeof DecisionView.Encoded

const workspace = "demo" as WorkspaceSlug
const owner = "owner@demo.test"

class ServiceAway extends Data.TaggedError("ServiceAway")<{ readonly url: string }> {
  override get message() {
    return `The service does not answer at ${this.url}. Start it in another terminal with 'npm start', and run this command again. Give both the same PORT, PUBLIC_URL and DATA_DIR.`
  }
}

class RunnerEnded extends Data.TaggedError("RunnerEnded")<{ readonly code: number }> {
  override get message() {
    return `The runner of the demo ended with exit code ${this.code}; the lines above say why.`
  }
}

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

const optionWords = ({ id, label }: Decision["options"][number]) => `${label} (${id})`

const shown = (decision: Decision) =>
  [
    "",
    `${decision.key}: ${decision.title}`,
    ...decision.body.split("\n").map((line) => `    ${line}`),
    ...decision.options.map(
      (option, index) => `  ${index + 1}. ${optionWords(option)}${option.recommended ? ", recommended" : ""}`
    )
  ].join("\n")

/** The ways to answer, each with the option's id. */
const ways = (url: string, { key, recommendation }: Decision) =>
  [
    process.stdin.isTTY ? "Answer here by its number, or" : "Answer",
    `  in the app: ${url}/${workspace}/decisions/${key}`,
    `  by command: ${program} decision answer --workspace ${workspace} --as ${owner} --decision ${key} --option ${recommendation}`,
    `  by the API: POST ${url}/v1/decisions/${key}/resolve {"optionId":"${recommendation}"}`
  ].join("\n")

/** Drives one story from Ready to merged: a real repository, a real runner, a scripted agent, and a person who decides. */
export const play = Effect.fn("LiveDemo.play")(function* (
  isAnswered: boolean,
  say: (line: string) => Effect.Effect<void> = Console.log
) {
  const url = yield* Settings.ownUrl
  if (!(yield* answers(url))) return yield* new ServiceAway({ url })
  yield* Demo.onFirstStart(demoDocument)
  const person = yield* Authorization.member(workspace, owner, "app")
  const data = resolve(yield* Settings.dataDir)
  const repository = yield* Repository.make(join(data, "live-demo"))
  yield* say(`A repository with one commit: ${repository}`)
  const { prefix, run, story, token } = yield* LiveDemo.prepare(person, repository)
  yield* say(`${story} is ready, and ${run} works on it. The agent is a script, not a model: it needs no keys.`)
  const runner = { url, team: LiveDemo.team, token, folder: RunnerChild.folderFor(data) }
  yield* worked(runner, person, run, isAnswered, say).pipe(
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
  runner: RunnerChild.Wanted,
  person: Authorization.Person,
  key: RunKey,
  isAnswered: boolean,
  say: (line: string) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const child = yield* RunnerChild.start(runner, (line) => {
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
      if (child.exitCode !== null) return yield* new RunnerEnded({ code: child.exitCode })
      const pending = run.decisions.find(({ key, status }) => status === "pending" && !seen.has(key))
      if (pending !== undefined) {
        seen.add(pending.key)
        yield* decided(runner.url, person, pending.key as DecisionKey, isAnswered, say)
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
    yield* say(shown(decision))
    yield* say(isAnswered ? "Nobody is asked, since --yes takes the recommendation." : ways(url, decision))
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
      `${key}: answered ${chosen === undefined ? "nothing" : optionWords(chosen)}${resolvedVia === null ? "" : ` through ${resolvedVia}`}`
    )
  })
