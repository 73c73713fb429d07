import { Effect, Layer, type Redacted } from "effect"
import * as Acting from "../../application/Acting.ts"
import * as Targets from "../../application/Targets.ts"
import * as Auditing from "../../application/Auditing.ts"
import * as Following from "../../application/Following.ts"
import * as Intake from "../../application/Intake.ts"
import { Investigator } from "../../application/ports/Investigator.ts"
import type { Errand } from "../../application/ports/JobStore.ts"
import { Notifiers } from "../../application/ports/Notifier.ts"
import { SourceApis } from "../../application/ports/SourceApis.ts"
import * as SourceUpdates from "../../application/SourceUpdates.ts"
import * as Telling from "../../application/Telling.ts"
import * as Tokens from "../../application/Tokens.ts"
import * as Workspaces from "../../application/Workspaces.ts"
import { payments } from "../application/house.ts"
import { rows } from "../application/onRecordRows.ts"
import { demo, sealing, shared } from "../application/useCases.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as OnCall from "../support/OnCall.ts"
import { ownerEmail } from "../support/Seed.ts"
import type { Act, Cases } from "./Case.ts"
import type { Original } from "./Original.ts"
import { forAll } from "./Sweeps.ts"

/** Everything outside keeps what it gets, and whoever investigates tells all they were given. */
const outside = () => {
  const sent: Array<unknown> = []
  const send = (to: Redacted.Redacted, message: unknown) => Effect.sync(() => void sent.push([to, message]))
  const update = (one: unknown) =>
    Effect.as(
      Effect.sync(() => sent.push(one)),
      "updated" as const
    )
  const layer = Layer.mergeAll(
    Layer.succeed(Notifiers, { mail: { send }, webhook: { send } }),
    Layer.succeed(SourceApis, { pagerduty: { check: () => ({ _tag: "Right" }) as never, update } }),
    Layer.succeed(Investigator, {
      investigate: (evidence) =>
        Effect.succeed({
          summary: JSON.stringify(evidence),
          suspect: evidence.merges[0] ?? null,
          isCodeCaused: true,
          confidence: "high" as const,
          reasons: []
        })
    })
  )
  return { sent, layer }
}

/** A job's use case, and what it sent. */
const sending =
  <R>(job: keyof Original["jobs"], handler: (errand: Errand) => Effect.Effect<unknown, unknown, R>): Act =>
  (at) => {
    const { layer, sent } = outside()
    const handled = handler({ workspace: at.id, job: at.jobs[job] })
    return Effect.as(Effect.provide(handled, layer), sent) as ReturnType<Act>
  }

const owned =
  (act: (typeof rows)[string]["act"]): Act =>
  (at) =>
    act(at, at.people.owner)

/** Every use case that changes something, and all it refuses. */
const changing: Cases = Object.fromEntries(
  Object.entries(rows).flatMap(([name, { act, refusals = {} }]) => {
    const ways = Object.fromEntries(Object.entries(refusals).map(([tag, refusal]) => [tag, owned(refusal)]))
    return name in forAll ? [] : [[name, { done: owned(act), ...ways }]]
  })
)

export const useCases: Cases = {
  ...changing,
  "Acting.member": ({ slug }) => Acting.member(slug, ownerEmail, "app"),
  "Acting.permit": ({ people }) => Acting.permit(people.member, "team delete", Targets.ofTeam(people.member, payments)),
  "Acting.admit": ({ people }) => Acting.admit(people.member, "team delete", Targets.ofTeam(people.member, payments)),
  "Auditing.verify": ({ slug }) => Auditing.verify(slug),
  "Intake.find": ({ onCall }) => Intake.find(onCall.source.token),
  "Targets.ofMember": ({ people }) => Targets.ofMember(people.member, ownerEmail),
  "Targets.ofService": ({ people }) => Targets.ofService(people.member, "checkout"),
  "Targets.ofSource": ({ onCall, people }) => Targets.ofSource(people.member, onCall.source.name),
  "Targets.ofTeam": ({ people }) => Targets.ofTeam(people.member, payments),
  "Intake.refuse": {
    again: ({ onCall }) => OnCall.refused(onCall, '{"title":"Down"}'),
    first: ({ onCall }) =>
      Effect.gen(function* () {
        const { sources } = yield* (yield* OnCallStore).look(onCall.workspace)
        const source = sources.find(({ name }) => name === "pager") ?? onCall.source
        yield* OnCall.refused({ source }, '{"title":"Down"}')
      })
  },
  "Tokens.list": ({ slug }) => Tokens.list({ workspace: slug, member: ownerEmail }),
  "Workspaces.idOf": ({ slug }) => Workspaces.idOf(slug),
  "Following.follow": { opened: sending("follow", Following.follow), asked: sending("asked", Following.follow) },
  "Following.investigate": sending("investigate", Following.investigate),
  "SourceUpdates.update": sending("update", SourceUpdates.update),
  "Telling.mail": sending("mail", Telling.mail),
  "Telling.post": sending("post", Telling.post)
}

/** Those that are given no workspace and nobody who has one, but what to look at, or a document for the demo. */
export const elsewhere = [...shared, ...demo, ...sealing, "Following.given"].sort()
