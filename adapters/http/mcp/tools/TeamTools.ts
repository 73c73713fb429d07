import { Effect, Schema } from "effect"
import { TeamStore } from "../../../../application/ports/TeamStore.ts"
import * as Teams from "../../../../application/work/Teams.ts"
import { Cents, Policy, Preset, Settings } from "../../../../domain/workspace/Policy.ts"
import type { TeamSlug } from "../../../../domain/workspace/Team.ts"
import { keys, maybe, type Member, page, teamOf, tool } from "../Tool.ts"

const list = tool(
  {
    name: "list_teams",
    title: "List teams",
    description: "Lists the teams of the workspace with a summary of their policy.",
    kind: "read",
    right: null,
    input: {}
  },
  ({ workspace }) =>
    Effect.map(
      Effect.flatMap(TeamStore, (store) => store.list(workspace)),
      (items) => page({ items, nextCursor: null })
    )
)

const read = ({ workspace }: Member, slug: TeamSlug) => Effect.flatMap(TeamStore, (store) => store.get(workspace, slug))

const pause = tool(
  {
    name: "pause_team",
    title: "Pause a team",
    description: "Keeps a team from starting new work; running work finishes.",
    kind: "change",
    right: "team pause",
    input: { team: keys.team }
  },
  (member, { team }) =>
    Effect.gen(function* () {
      const slug = yield* teamOf(team)
      yield* Teams.pause(member, slug)
      return yield* read(member, slug)
    })
)

const resume = tool(
  {
    name: "resume_team",
    title: "Resume a team",
    description: "Lets a paused team take Ready stories again.",
    kind: "change",
    right: "team resume",
    input: { team: keys.team }
  },
  (member, { team }) =>
    Effect.gen(function* () {
      const slug = yield* teamOf(team)
      yield* Teams.resume(member, slug)
      return yield* read(member, slug)
    })
)

const { budgets: _, ...single } = Settings.fields

const changed = {
  executor: maybe(single.executor),
  maxConcurrency: maybe(single.maxConcurrency),
  planApproval: maybe(single.planApproval),
  mergePolicy: maybe(single.mergePolicy),
  deniedPaths: maybe(single.deniedPaths),
  acceptanceSpecRequired: maybe(single.acceptanceSpecRequired),
  gateFailureBudget: maybe(single.gateFailureBudget),
  mergeMaxLines: maybe(single.mergeMaxLines),
  decisionHours: maybe(single.decisionHours)
}

const cents = maybe(Schema.NullOr(Cents))

const encode = Schema.encodeSync(Policy)

const change = tool(
  {
    name: "change_policy",
    title: "Change a policy",
    description: "Changes the preset or single settings of a team's policy. A new preset brings its own settings.",
    kind: "change",
    isIdempotent: true,
    right: "policy set",
    input: {
      team: keys.team,
      preset: maybe(Preset),
      budgets: maybe(Schema.Struct({ runCents: cents, dayCents: cents, monthCents: cents })),
      ...changed
    }
  },
  (member, { preset, team, ...settings }) =>
    Effect.gen(function* () {
      const slug = yield* teamOf(team)
      const { isChanged, policy } = yield* Teams.setPolicy(member, slug, { ...(preset && { preset }), settings })
      return { team: slug, changed: isChanged, policy: encode(policy) }
    })
)

export const teamTools = [list, pause, resume, change]
