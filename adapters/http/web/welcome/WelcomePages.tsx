import { Effect } from "effect"
import { OnCallStore } from "../../../../application/ports/OnCallStore.ts"
import { StoryStore } from "../../../../application/ports/StoryStore.ts"
import { TokenStore } from "../../../../application/ports/TokenStore.ts"
import type { Page, View, Visit } from "../Page.ts"
import { FirstStepsPage, type Steps } from "./FirstSteps.tsx"

export type Needs = OnCallStore | StoryStore | TokenStore

const one = { limit: 1, before: null }

/** The first steps that the workspace of a visit has taken. */
export const stepsOf = ({ person: { member, workspace } }: Pick<Visit, "person">) =>
  Effect.gen(function* () {
    const [stories, onCall, tokens] = yield* Effect.all([StoryStore, OnCallStore, TokenStore])
    const { members, sources, teams } = yield* onCall.look(workspace)
    const own = yield* tokens.list(workspace, member.id)
    const hasStory = Effect.map(
      Effect.findFirst(teams, (team) =>
        Effect.map(
          Effect.orElseSucceed(stories.page(workspace, { team, drafts: true }, one), () => ({ count: 0 })),
          ({ count }) => count > 0
        )
      ),
      (found) => found._tag === "Some"
    )
    const steps: Steps = {
      hasTeam: teams.length > 0,
      hasStory: yield* hasStory,
      hasSource: sources.some(({ deletedAt }) => deletedAt === null),
      hasToken: own.some(({ revokedAt }) => revokedAt === null),
      hasOthers: members.length > 1
    }
    return steps
  })

const page = (visit: Visit) =>
  Effect.map(stepsOf(visit), (steps): View => {
    const { base, person, signedIn } = visit
    const email = signedIn.memberships.find(({ workspace }) => workspace === person.workspace)?.member.email ?? ""
    return {
      title: "First steps",
      section: null,
      body: <FirstStepsPage base={base} workspace={person.workspaceSlug} email={email} steps={steps} />
    }
  })

export const pages: ReadonlyArray<Page<Needs>> = [{ path: "first-steps", get: page }]
