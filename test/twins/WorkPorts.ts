import { Effect, Either } from "effect"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { ImportStore } from "../../application/ports/ImportStore.ts"
import { JobStore } from "../../application/ports/JobStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { AuthenticatedReads } from "../../application/ports/AuthenticatedReads.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import { StoryStore } from "../../application/ports/StoryStore.ts"
import { PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import type { JobId } from "../../domain/work/Job.ts"
import type { StoryId } from "../../domain/work/Story.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { Team, TeamSlug } from "../../domain/workspace/Team.ts"
import { decision, payments, run, story, web } from "../application/house.ts"
import * as Pulls from "../codehost/Pulls.ts"
import type { Act, Cases } from "./Case.ts"
import type { Original } from "./Original.ts"
import { all, hashed, some } from "./Asking.ts"
import { holder } from "../jobs/Queue.ts"

const nobody = "nobody" as TeamSlug
const ops = "ops" as TeamSlug
const any = { status: null, team: null, run: null }

/** The whole context of a decider, as a refusal, so that nothing is changed. */
const seen = <M>(at: M): Either.Either<never, M> => Either.left(at)

/** For lists without an order. */
const unordered = (all: ReadonlyArray<unknown>) => all.map((one) => JSON.stringify(one)).sort()

const decided =
  (key: DecisionKey, idempotent = false): Act =>
  (at) =>
    Effect.flatMap(DecisionStore, (store) =>
      store.change(at.id, key, idempotent ? { token: at.token, key: "once" } : null, seen)
    )

const anyone = { authorities: ["member", "admin", "owner"] as const, team: null }

/** The context of a decision without its fresh ids and the time. */
const looked = (id: WorkspaceId, key: DecisionKey) =>
  Effect.map(
    Effect.flatMap(DecisionStore, (store) => store.context(id, key)),
    ({ fresh, now, ...rest }) => ({ ...rest, storyKey: fresh.storyKey, isNow: now !== null })
  )

/** The repository of the team, which has the mark of its workspace. */
export const repositoryOf = ({ id }: Original) =>
  Effect.map(
    Effect.flatMap(TeamStore, (store) => store.whole(id, payments)),
    (json) => (JSON.parse(json) as typeof Team.Encoded).repositories[0] ?? ""
  )

/** The context of a decider without the time. */
const timeless = <M extends { readonly now: unknown }>(at: M) => Either.left({ ...at, now: null })

/** The ports of teams, stories, runs, decisions and jobs. */
export const workPorts: Cases = {
  "DecisionStore.page": {
    all: ({ id }) => Effect.flatMap(DecisionStore, (store) => store.page(id, any, all)),
    some: ({ id }) => Effect.flatMap(DecisionStore, (store) => store.page(id, any, some)),
    "by status": ({ id }) =>
      Effect.flatMap(DecisionStore, (store) => store.page(id, { ...any, status: "pending" }, all)),
    "of a team": ({ id }) => Effect.flatMap(DecisionStore, (store) => store.page(id, { ...any, team: web }, all)),
    "of no team": ({ id }) => Effect.flatMap(DecisionStore, (store) => store.page(id, { ...any, team: nobody }, all)),
    "of a run": ({ id }) =>
      Effect.flatMap(DecisionStore, (store) => store.page(id, { ...any, run: run("run-aaaa") }, all)),
    "of a story": ({ id }) =>
      Effect.flatMap(DecisionStore, (store) => store.page(id, { ...any, story: story("PAY-1") }, all))
  },
  "DecisionStore.get": {
    there: ({ id }) => Effect.flatMap(DecisionStore, (store) => store.get(id, decision("dec-aaaa"))),
    missing: ({ id }) => Effect.flatMap(DecisionStore, (store) => store.get(id, decision("dec-0000")))
  },
  "DecisionStore.queue": {
    all: ({ id }) => Effect.flatMap(DecisionStore, (store) => store.queue(id, anyone, all)),
    some: ({ id }) => Effect.flatMap(DecisionStore, (store) => store.queue(id, anyone, { limit: 1, before: null })),
    "of a team": ({ id }) => Effect.flatMap(DecisionStore, (store) => store.queue(id, { ...anyone, team: web }, all))
  },
  "DecisionStore.unanswered": {
    all: ({ id }) => Effect.flatMap(DecisionStore, (store) => store.unanswered(id, null, all)),
    "of a team": ({ id }) => Effect.flatMap(DecisionStore, (store) => store.unanswered(id, web, all))
  },
  "DecisionStore.context": {
    there: ({ id }) => looked(id, decision("dec-aaaa")),
    missing: ({ id }) => looked(id, decision("dec-0000"))
  },
  "DecisionStore.change": {
    "of a run": decided(decision("dec-aaaa")),
    "of a team": decided(decision("dec-cccc")),
    "a proposal": decided(decision("dec-ffff")),
    "with a kept answer": decided(decision("dec-dddd"), true),
    missing: decided(decision("dec-0000"))
  },
  "ImportStore.change": ({ slug }) =>
    Effect.flatMap(ImportStore, (store) =>
      store.change(
        slug,
        {
          storyIds: ["6f1c2d1a-3b4c-4d5e-8f60-718293a4b5c6" as StoryId],
          stories: [story("PAY-1"), story("PAY-99")],
          runs: [run("run-aaaa"), run("run-0000")],
          decisions: [decision("dec-aaaa"), decision("dec-0000")]
        },
        ({ decisions, lastStoryNumber, runs, services, stories, teams }) =>
          Either.left([decisions, [...lastStoryNumber], runs, services, stories, teams].map(unordered))
      )
    ),
  "JobStore.page": {
    all: ({ id }) => Effect.flatMap(JobStore, (store) => store.page(id, { status: null }, all)),
    some: ({ id }) => Effect.flatMap(JobStore, (store) => store.page(id, { status: "queued" }, some))
  },
  "JobStore.find": ({ id }) =>
    Effect.gen(function* () {
      const store = yield* JobStore
      const { items } = yield* store.page(id, { status: null }, all)
      return yield* store.find(
        id,
        Json.each(items).map((one) => (JSON.parse(one) as { readonly id: JobId }).id)
      )
    }),
  "JobStore.note": ({ id, jobs }) =>
    Effect.flatMap(JobStore, (store) =>
      store.note(id, jobs.mail.id, holder, { status: "failed", tries: 2, error: "No" })
    ),
  "JobStore.wake": ({ id }) => Effect.flatMap(JobStore, (store) => store.wake(id)),
  "AuthenticatedReads.decisions": {
    all: (at) => Effect.flatMap(AuthenticatedReads, (polling) => polling.decisions(hashed(at), any, all)),
    "of a team": (at) =>
      Effect.flatMap(AuthenticatedReads, (polling) => polling.decisions(hashed(at), { ...any, team: web }, all)),
    "of no team": (at) =>
      Effect.flatMap(AuthenticatedReads, (polling) => polling.decisions(hashed(at), { ...any, team: nobody }, all))
  },
  "AuthenticatedReads.run": {
    there: (at) => Effect.flatMap(AuthenticatedReads, (polling) => polling.run(hashed(at), run("run-aaaa"))),
    missing: (at) => Effect.flatMap(AuthenticatedReads, (polling) => polling.run(hashed(at), run("run-0000")))
  },
  "AuthenticatedReads.teams": (at) => Effect.flatMap(AuthenticatedReads, (polling) => polling.teams(hashed(at))),
  "RunStore.page": {
    all: ({ id }) => Effect.flatMap(RunStore, (store) => store.page(id, { team: null, story: null }, all)),
    some: ({ id }) => Effect.flatMap(RunStore, (store) => store.page(id, { team: payments, story: null }, some)),
    "of no team": ({ id }) => Effect.flatMap(RunStore, (store) => store.page(id, { team: nobody, story: null }, all)),
    "of a story": ({ id }) =>
      Effect.flatMap(RunStore, (store) => store.page(id, { team: null, story: story("PAY-1") }, all))
  },
  "RunStore.get": {
    there: ({ id }) => Effect.flatMap(RunStore, (store) => store.get(id, run("run-aaaa"))),
    missing: ({ id }) => Effect.flatMap(RunStore, (store) => store.get(id, run("run-0000")))
  },
  "RunStore.history": {
    there: ({ id }) => Effect.flatMap(RunStore, (store) => store.history(id, run("run-aaaa"))),
    missing: ({ id }) => Effect.flatMap(RunStore, (store) => store.history(id, run("run-0000")))
  },
  "RunStore.change": {
    there: ({ id }) => Effect.flatMap(RunStore, (store) => store.change(id, run("run-aaaa"), seen)),
    missing: ({ id }) => Effect.flatMap(RunStore, (store) => store.change(id, run("run-0000"), seen))
  },
  "RunStore.next": {
    any: ({ id }) => Effect.flatMap(RunStore, (store) => store.next(id, { teams: [], runner: null })),
    "of a team": ({ id }) => Effect.flatMap(RunStore, (store) => store.next(id, { teams: [payments], runner: null })),
    "of a paused team": ({ id }) => Effect.flatMap(RunStore, (store) => store.next(id, { teams: [web], runner: null }))
  },
  "PullRequestStore.get": {
    merged: ({ id }) => Effect.flatMap(PullRequestStore, (store) => store.get(id, Pulls.number(1))),
    open: ({ id }) => Effect.flatMap(PullRequestStore, (store) => store.get(id, Pulls.number(3))),
    missing: ({ id }) => Effect.flatMap(PullRequestStore, (store) => store.get(id, Pulls.number(9)))
  },
  "PullRequestStore.find": {
    "of a run": ({ id }) => Effect.flatMap(PullRequestStore, (store) => store.find(id, { run: run("run-vvvv") })),
    "by its merge": (at) =>
      Effect.flatMap(Effect.zip(PullRequestStore, repositoryOf(at)), ([store, repository]) =>
        store.find(at.id, { repository, mergeCommit: Pulls.commit("f") })
      ),
    "a revert": ({ id }) => Effect.flatMap(PullRequestStore, (store) => store.find(id, { reverts: Pulls.number(1) })),
    "on a host": ({ id }) =>
      Effect.flatMap(PullRequestStore, (store) => store.find(id, { hostUrl: "https://git.acme.test/acme/pay/pull/1" })),
    "no revert": ({ id }) => Effect.flatMap(PullRequestStore, (store) => store.find(id, { reverts: Pulls.number(3) }))
  },
  "PullRequestStore.opened": (at) =>
    Effect.flatMap(Effect.zip(PullRequestStore, repositoryOf(at)), ([store, repository]) =>
      // The repositories of the twins have one more word.
      Effect.forEach(["", " birch", " cedar"], (word) => store.opened(at.id, `${repository}${word}`))
    ),
  "PullRequestStore.open": {
    "of a branch": (at) =>
      Effect.flatMap(Effect.zip(PullRequestStore, repositoryOf(at)), ([store, repository]) =>
        store.open(at.id, { repository, branch: "gatehouse/PAY-11-run-vvvv" }, timeless)
      ),
    "of a new branch": (at) =>
      Effect.flatMap(Effect.zip(PullRequestStore, repositoryOf(at)), ([store, repository]) =>
        store.open(at.id, { repository, branch: "new" }, timeless)
      )
  },
  "PullRequestStore.change": {
    there: ({ id }) => Effect.flatMap(PullRequestStore, (store) => store.change(id, Pulls.number(3), timeless)),
    missing: ({ id }) => Effect.flatMap(PullRequestStore, (store) => store.change(id, Pulls.number(9), timeless))
  },
  "StoryStore.page": {
    all: ({ id }) => Effect.flatMap(StoryStore, (store) => store.page(id, { team: payments, drafts: true }, all)),
    some: ({ id }) => Effect.flatMap(StoryStore, (store) => store.page(id, { team: payments, drafts: false }, some)),
    "of no team": ({ id }) =>
      Effect.flatMap(StoryStore, (store) => store.page(id, { team: nobody, drafts: true }, all)),
    "of no team, without drafts": ({ id }) =>
      Effect.flatMap(StoryStore, (store) => store.page(id, { team: nobody, drafts: false }, all))
  },
  "StoryStore.get": {
    there: ({ id }) => Effect.flatMap(StoryStore, (store) => store.get(id, story("PAY-1"))),
    missing: ({ id }) => Effect.flatMap(StoryStore, (store) => store.get(id, story("WEB-99")))
  },
  "StoryStore.detail": {
    there: ({ id }) => Effect.flatMap(StoryStore, (store) => store.detail(id, story("PAY-1"))),
    missing: ({ id }) => Effect.flatMap(StoryStore, (store) => store.detail(id, story("WEB-99")))
  },
  "StoryStore.brief": {
    there: ({ id }) => Effect.flatMap(StoryStore, (store) => store.brief(id, story("PAY-1"))),
    missing: ({ id }) => Effect.flatMap(StoryStore, (store) => store.brief(id, story("WEB-99")))
  },
  "StoryStore.board": {
    there: ({ id }) => Effect.flatMap(StoryStore, (store) => store.board(id, payments, 10)),
    "of no team": ({ id }) => Effect.flatMap(StoryStore, (store) => store.board(id, nobody, 10))
  },
  "StoryStore.column": {
    all: ({ id }) => Effect.flatMap(StoryStore, (store) => store.column(id, { team: payments, column: "ready" }, all)),
    some: ({ id }) =>
      Effect.flatMap(StoryStore, (store) => store.column(id, { team: payments, column: "backlog" }, some)),
    "of no team": ({ id }) =>
      Effect.flatMap(StoryStore, (store) => store.column(id, { team: nobody, column: "ready" }, all))
  },
  "StoryStore.change": {
    "worked on": ({ id }) => Effect.flatMap(StoryStore, (store) => store.change(id, story("PAY-1"), seen)),
    ready: ({ id }) => Effect.flatMap(StoryStore, (store) => store.change(id, story("PAY-3"), seen)),
    queued: ({ id }) => Effect.flatMap(StoryStore, (store) => store.change(id, story("WEB-2"), seen)),
    "mirrored no longer": ({ id }) => Effect.flatMap(StoryStore, (store) => store.change(id, story("OPS-1"), seen)),
    missing: ({ id }) => Effect.flatMap(StoryStore, (store) => store.change(id, story("WEB-99"), seen))
  },
  "TeamStore.list": ({ id }) => Effect.flatMap(TeamStore, (store) => store.list(id)),
  "TeamStore.get": {
    there: ({ id }) => Effect.flatMap(TeamStore, (store) => store.get(id, payments)),
    "without a policy": ({ id }) => Effect.flatMap(TeamStore, (store) => store.get(id, ops))
  },
  "TeamStore.whole": {
    there: ({ id }) => Effect.flatMap(TeamStore, (store) => store.whole(id, payments)),
    "without a policy": ({ id }) => Effect.flatMap(TeamStore, (store) => store.whole(id, ops)),
    missing: ({ id }) => Effect.flatMap(TeamStore, (store) => store.whole(id, nobody))
  },
  "TeamStore.change": {
    busy: ({ id }) => Effect.flatMap(TeamStore, (store) => store.change(id, payments, seen)),
    paused: ({ id }) => Effect.flatMap(TeamStore, (store) => store.change(id, web, seen)),
    missing: ({ id }) => Effect.flatMap(TeamStore, (store) => store.change(id, nobody, seen))
  },
  "TeamStore.schedule": {
    busy: ({ id }) => Effect.flatMap(TeamStore, (store) => store.schedule(id, payments, seen)),
    missing: ({ id }) => Effect.flatMap(TeamStore, (store) => store.schedule(id, nobody, seen))
  }
}
