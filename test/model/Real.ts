import { type Array, Effect } from "effect"
import * as Authorization from "../../application/workspace/Authorization.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Import from "../../application/work/Import.ts"
import * as Json from "../../application/ports/Json.ts"
import * as Members from "../../application/workspace/Members.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Scheduler from "../../application/work/Scheduler.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { type DecisionKey, DecisionView } from "../../domain/work/Decision.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { Fact } from "../../domain/work/RunReport.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import type { Stores } from "../support/World.ts"
import { document, founders } from "./Beginning.ts"
import type { Content, Name, Place, Step } from "./Steps.ts"
import { type Answer, named, ofAnswer, ofDecision, ofRun, ofRuns, ofStory, type RealWorkspace } from "./Answer.ts"

const emailOf = (name: Name) => `${name}@acme.test` as Email

export const open = (slug: WorkspaceSlug, moment: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const owner = { email: emailOf("owner"), name: "owner" }
    const { id } = yield* Workspaces.create(bySystem, { slug, name: "Acme", owner })
    for (const [name, role] of founders.slice(1)) {
      yield* moment
      yield* Members.add(bySystem, { workspace: slug, email: emailOf(name), name, role })
    }
    const { stories } = yield* Import.write(bySystem, slug, document)
    const real: RealWorkspace = { id, slug, stories: stories.map(({ key }) => key), runs: [], decisions: [] }
    return real
  })

const nth = <K extends string>(keys: ReadonlyArray<K>, index: number, none: string): K => keys[index] ?? (none as K)

const parts = ({ criteria, demonstrate, description }: Content) => ({
  description: description ? "Why it matters" : null,
  acceptanceCriteria: criteria ? ["It works"] : [],
  demonstrate: demonstrate ? ["Show it"] : []
})

const optionOf = (real: RealWorkspace, key: DecisionKey, option: number) =>
  Effect.gen(function* () {
    const json = yield* Effect.option((yield* DecisionStore).get(real.id, key))
    if (option < 0 || json._tag === "None") return "nope"
    const { options } = Json.decoder(DecisionView)(json.value)
    return options[option % options.length]?.id ?? "nope"
  })

const wanted = (real: RealWorkspace, { run, team }: Extract<Step, { readonly do: "lease" }>) => ({
  team: team as TeamSlug | null,
  run: run === null ? null : nth(real.runs, run, "run-0000")
})

const unpersonal = (real: RealWorkspace, step: Step) => {
  if (step.do === "pass") return Effect.succeed({ all: null, told: null })
  if (step.do === "sweep")
    return Effect.map(Effect.zipLeft(Decisions.expireDue(), Runners.sweep()), (count) => ({ all: count, told: count }))
  if (step.do === "tick") return Effect.map(Scheduler.tick(), (keys) => ofRuns(real, keys))
  if (step.do !== "lease" || !step.isService) return null
  const leased = Runs.lease({ workspace: real.id }, wanted(real, step))
  return Effect.map(leased, (progress) => (progress === null ? { all: null, told: null } : ofRun(real, progress)))
}

const personal = (real: RealWorkspace, step: Step) =>
  Effect.gen(function* () {
    const story = (index: number) => nth(real.stories, index, "PAY-999")
    const run = (index: number) => nth(real.runs, index, "run-0000")
    const team = "team" in step ? (step.team as TeamSlug) : ("none" as TeamSlug)
    const place = (given: Place): Decisions.Place => {
      if ("run" in given) return { run: run(given.run) }
      return "story" in given ? { story: story(given.story) } : { team: given.team as TeamSlug }
    }
    const channel = step.do === "answer" ? step.via : "app"
    const person = yield* Authorization.member(real.slug, emailOf(step.as), channel)
    switch (step.do) {
      case "create": {
        const { column, draft, isExpedite, size } = step.story
        const classOfService = isExpedite ? ("expedite" as const) : ("standard" as const)
        const input = { ...parts(step.story), team, title: "A story", column, draft, size, classOfService }
        return ofStory(real, yield* Stories.create(person, input))
      }
      case "edit": {
        const content = { ...parts(step.content), ...(step.title !== null && { title: step.title }) }
        return ofStory(real, yield* Stories.edit(person, story(step.story), content))
      }
      case "approve":
        return ofStory(real, yield* Stories.approve(person, story(step.story)))
      case "reject":
        return ofStory(real, yield* Stories.reject(person, story(step.story)))
      case "start":
        return ofRun(real, yield* Runs.start(person, story(step.story)))
      case "lease": {
        const leased = yield* Runs.lease(person, wanted(real, step))
        return leased === null ? { all: null, told: null } : ofRun(real, leased)
      }
      case "report": {
        const facts = step.facts as Array.NonEmptyReadonlyArray<Fact>
        return ofRun(real, yield* Runs.report(person, run(step.run), facts, step.fence))
      }
      case "finish":
        return ofRun(real, yield* Runs.finish(person, run(step.run), step.outcome, step.fence))
      case "stop":
        return ofRun(real, yield* Runs.stop(person, run(step.run)))
      case "retry":
        return ofRun(real, yield* Runs.retry(person, run(step.run), step.note))
      case "raise": {
        const options = step.ask.options.map((action) => ({ id: action, label: action, action }))
        const ask = { ...step.ask, body: "", options, recommendation: options[0]?.id ?? "" }
        return ofDecision(real, Json.decoder(DecisionView)(yield* Decisions.raise(person, place(step.place), ask)))
      }
      case "answer": {
        const decision = nth(real.decisions, step.decision, "dec-0000")
        const optionId = yield* optionOf(real, decision, step.option)
        const { json } = yield* Decisions.answer(person, { decision, optionId, note: step.note, idempotency: null })
        return ofAnswer(real, Json.decoder(Decisions.ResolvedView)(json))
      }
      case "pause":
      case "resume": {
        const all = yield* (step.do === "pause" ? Teams.pause : Teams.resume)(person, team)
        return { all, told: { isPaused: all.pausedAt !== null } }
      }
      case "delete": {
        const all = yield* Teams.remove(person, team, step.isSure ? team : "no")
        return { all, told: all }
      }
      case "policy": {
        const all = yield* Teams.setPolicy(person, team, { preset: step.preset, settings: step.settings })
        return { all, told: { version: all.policy.version } }
      }
      case "add": {
        const { role, who } = step
        const all = yield* Members.add(person, { workspace: real.slug, email: emailOf(who), name: who, role })
        return { all, told: { role: all.role } }
      }
      case "remove":
        yield* Members.remove(person, { workspace: real.slug, email: emailOf(step.who) })
        return { all: null, told: null }
      default:
        return { all: null, told: null }
    }
  })

const either = (
  step: Effect.Effect<Answer, { readonly _tag: string; readonly message: string }, Stores>
): typeof step => step

/** A step's answer from real stores, with the part that the model predicts. */
export const perform = (real: RealWorkspace, step: Step) =>
  Effect.match(either(unpersonal(real, step) ?? personal(real, step)), {
    onFailure: ({ _tag, message }) => ({
      all: named(real, `${_tag}: ${message}`),
      told: { refused: _tag },
      outcomes: [_tag as string]
    }),
    onSuccess: ({ all, outcomes = [], told }: Answer) => ({
      all: named(real, JSON.stringify(all)),
      told: { is: told },
      outcomes: ["done", ...outcomes]
    })
  })
