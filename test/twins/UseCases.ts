import { DateTime, Effect, Layer, Redacted } from "effect"
import * as Authorization from "../../application/workspace/Authorization.ts"
import * as DeniedTarget from "../../application/workspace/DeniedTarget.ts"
import * as AuditExport from "../../application/workspace/AuditExport.ts"
import * as HostWork from "../../application/codehost/HostWork.ts"
import * as OpenRevert from "../../application/codehost/OpenRevert.ts"
import * as PullRequests from "../../application/codehost/PullRequests.ts"
import * as RestoreSpec from "../../application/codehost/RestoreSpec.ts"
import * as FollowIncident from "../../application/oncall/FollowIncident.ts"
import * as Intake from "../../application/oncall/Intake.ts"
import { type CodeHost, CodeHosts } from "../../application/ports/codehost/CodeHost.ts"
import { Investigator } from "../../application/ports/Investigator.ts"
import type { WorkspaceJob } from "../../application/ports/JobStore.ts"
import { Notifiers } from "../../application/ports/Notifier.ts"
import { SourceApis } from "../../application/ports/SourceApis.ts"
import * as UpdateSource from "../../application/oncall/UpdateSource.ts"
import * as SendNotice from "../../application/oncall/SendNotice.ts"
import * as TestSource from "../../application/oncall/TestSource.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import * as OwnRun from "../../application/runner/OwnRun.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as ChangeFeed from "../../application/workspace/ChangeFeed.ts"
import { type Job, queued } from "../../domain/work/Job.ts"
import { callerOf } from "../application/forge.ts"
import { decision, payments, run, story } from "../application/house.ts"
import * as Pulls from "../codehost/Pulls.ts"
import { rows } from "../application/onRecordRows.ts"
import { demo, identity, personal, sealing, shared } from "../application/useCases.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Equipment from "../support/Equipment.ts"
import * as OnCall from "../support/OnCall.ts"
import { ownerEmail } from "../support/Seed.ts"
import { trackerUses } from "./TrackerCases.ts"
import { connectionUses } from "./ConnectionCases.ts"
import type { Act, Cases } from "./Case.ts"
import type { Original } from "./Original.ts"
import { forAll } from "./Sweeps.ts"
import { repositoryOf } from "./WorkPorts.ts"

/** All external systems keep their input, and the investigator returns all its evidence. */
const outside = () => {
  const sent: Array<unknown> = []
  const send = (to: Redacted.Redacted, message: unknown) => Effect.sync(() => void sent.push([to, message]))
  const update = (one: unknown) =>
    Effect.as(
      Effect.sync(() => sent.push(one)),
      "updated" as const
    )
  const layer = Layer.mergeAll(
    Layer.succeed(Notifiers, { mail: { send }, places: Equipment.places(() => ({ send })) }),
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

/** A job's use case, and its sent messages. */
const sending =
  <R>(job: keyof Original["jobs"], handler: (errand: WorkspaceJob) => Effect.Effect<unknown, unknown, R>): Act =>
  (at) => {
    const { layer, sent } = outside()
    const handled = handler({ workspace: at.id, job: at.jobs[job] })
    return Effect.as(Effect.provide(handled, layer), sent) as ReturnType<Act>
  }

/** A code host that keeps its input, and does everything. */
const codeHost = (sent: Array<unknown>): CodeHost => {
  const noted =
    <A>(answer: A) =>
    (...input: ReadonlyArray<unknown>) =>
      Effect.as(
        Effect.sync(() => sent.push(input)),
        answer
      )
  const head = Pulls.commit("b")
  return {
    serves: () => true,
    branchHead: noted(head),
    defaultBranch: noted(Pulls.branch("main")),
    findCommit: noted({ commit: Pulls.commit("f"), isRevert: false }),
    open: noted(null),
    merge: noted(Pulls.commit("e")),
    state: noted({ state: "open" as const, mergeCommit: null }),
    revert: noted({ branch: Pulls.branch("revert-1"), head, onHost: null }),
    restore: noted(head),
    checks: noted([]),
    recent: noted([]),
    difference: noted({ files: [], text: "", isCut: false })
  }
}

const handOff = {
  branch: "gatehouse/PAY-11-run-vvvv",
  head: Pulls.commit("b"),
  base: "main",
  title: "Done",
  summary: ""
}
const ours = { number: 3, url: "https://gatehouse.acme.test/acme/pulls/3" }

/** A use case of the code host's jobs, for a job that was just queued. */
const hosting =
  <A, R>(
    handle: (work: WorkspaceJob, repository: string) => Effect.Effect<A, unknown, R>,
    payloadOf: (repository: string) => Job["payload"] = () => ({}),
    runKey: Job["runKey"] = run("run-vvvv")
  ): Act =>
  (at) =>
    Effect.gen(function* () {
      const sent: Array<unknown> = []
      const repository = yield* repositoryOf(at)
      const later = DateTime.add(yield* DateTime.now, { hours: 1 })
      const of = { team: payments, story: null, runKey, decision: null, payload: payloadOf(repository) }
      const job = queued({ id: at.jobs.done.id, kind: "open_pull_request", ...of }, later)
      const done = yield* Effect.either(
        Effect.provideService(handle({ workspace: at.id, job }, repository), CodeHosts, [codeHost(sent)])
      )
      return [sent, done]
    }) as ReturnType<Act>

const hosted: Cases = {
  "HostWork.runOf": hosting(HostWork.runOf),
  "HostWork.hostsOf": hosting((work) => Effect.map(HostWork.hostsOf(work), ({ repositories }) => repositories)),
  "HostWork.hostFor": hosting((work, repository) => Effect.asVoid(HostWork.hostFor(work, repository))),
  "PullRequests.open": hosting(PullRequests.open, (repository) => ({ repository, ...handOff })),
  "PullRequests.merge": hosting(PullRequests.merge, () => ({ pullRequest: ours })),
  "PullRequests.record": hosting(({ workspace }, repository) =>
    PullRequests.record(workspace, { ...Pulls.proposal, repository, branch: Pulls.branch("new") })
  ),
  "OpenRevert.open": {
    again: hosting(OpenRevert.open, () => ({ subject: "#1", note: null })),
    "of a commit": hosting(OpenRevert.open, () => ({ subject: "f".repeat(40), note: null }), null),
    "of an open one": hosting(OpenRevert.open, () => ({ subject: "run-vvvv", note: null }))
  },
  "RestoreSpec.restore": hosting(RestoreSpec.restore)
}

const owned =
  (act: (typeof rows)[string]["act"]): Act =>
  (at) =>
    act(at, at.people.owner)

/** Every use case with a change, and all its refusals. */
const changing: Cases = Object.fromEntries(
  Object.entries(rows).flatMap(([name, { act, refusals = {} }]) => {
    const ways = Object.fromEntries(Object.entries(refusals).map(([tag, refusal]) => [tag, owned(refusal)]))
    return name in forAll ? [] : [[name, { done: owned(act), ...ways }]]
  })
)

/** The agent of the held run, by its credential. */
const ofAgent = ({ forge }: Original) => OwnRun.enter(Redacted.make(forge.credential))

export const useCases: Cases = {
  ...changing,
  "Authorization.member": ({ slug }) => Authorization.member(slug, ownerEmail, "app"),
  "Authorization.permit": ({ people }) =>
    Authorization.permit(people.member, "team delete", DeniedTarget.ofTeam(people.member, payments)),
  "Authorization.admit": ({ people }) =>
    Authorization.admit(people.member, "team delete", DeniedTarget.ofTeam(people.member, payments)),
  "AuditExport.verify": ({ slug }) => AuditExport.verify(slug),
  "Intake.find": ({ onCall }) => Intake.find(onCall.source.token),
  "DeniedTarget.ofMember": ({ people }) => DeniedTarget.ofMember(people.member, ownerEmail),
  "DeniedTarget.ofService": ({ people }) => DeniedTarget.ofService(people.member, "checkout"),
  "DeniedTarget.ofSource": ({ onCall, people }) => DeniedTarget.ofSource(people.member, onCall.source.name),
  "DeniedTarget.ofTeam": ({ people }) => DeniedTarget.ofTeam(people.member, payments),
  "Intake.refuse": {
    again: ({ onCall }) => OnCall.refused(onCall, '{"title":"Down"}'),
    first: ({ onCall }) =>
      Effect.gen(function* () {
        const { sources } = yield* (yield* OnCallStore).look(onCall.workspace)
        const source = sources.find(({ name }) => name === "pager") ?? onCall.source
        yield* OnCall.refused({ source }, '{"title":"Down"}')
      })
  },
  "TestSource.prepare": ({ people }) =>
    Effect.map(TestSource.prepare(people.owner, "tool"), ({ posts, source }) => [
      source,
      posts.map(({ body }) => body)
    ]),
  "Decisions.look": ({ people }) =>
    Effect.map(Decisions.look(people.owner, decision("dec-aaaa")), ({ at: { decision }, options }) => ({
      decision,
      options
    })),
  "Decisions.isAnswerOf": ({ people: { owner } }) =>
    Effect.flatMap(Decisions.look(owner, decision("dec-dddd")), ({ at: { decision } }) =>
      Decisions.isAnswerOf(owner, { ...decision, resolvedVia: "app" })
    ),
  "Decisions.settled": ({ id }) => Effect.provide(Decisions.settled(id, decision("dec-aaaa"), 0), ChangeFeed.layer),
  "Stories.brief": ({ id }) => Stories.brief(id, story("PAY-1")),
  "Runs.note": ({ people }) => Runs.note(people.owner, run("run-eeee"), "half done"),
  "Decisions.jobsOf": ({ jobs, people }) =>
    Decisions.jobsOf(
      people.owner,
      Object.values(jobs).map(({ id }) => ({
        type: "answer_delivered",
        status: "queued",
        summary: "",
        ref: { type: "job", id }
      }))
    ),
  "OwnRun.enter": ofAgent,
  "OwnRun.read": (at) => Effect.flatMap(ofAgent(at), OwnRun.read),
  "OwnRun.progress": (at) => Effect.flatMap(ofAgent(at), (held) => OwnRun.progress(held, "half done")),
  "Runners.find": ({ people }) => Runners.find(people.owner, "build-1"),
  "Runners.list": ({ people }) => Runners.list(people.owner),
  "Runners.logs": ({ forge, id }) => Runners.logs(id, { run: forge.run, attempt: 1, after: 0 }),
  "Runners.renew": {
    held: ({ forge, people }) => Runners.renew(callerOf(people.owner, forge), forge, 0),
    older: ({ forge, people }) => Runners.renew(callerOf(people.owner, forge), { ...forge, fence: forge.fence + 1 }, 0)
  },
  "Tokens.revoke": {
    ...changing["Tokens.revoke"],
    "of a runner": ({ forge, people, slug }) => Tokens.revoke(people.owner, { workspace: slug, prefix: forge.prefix })
  },
  "Tokens.list": ({ slug }) => Tokens.list({ workspace: slug, member: ownerEmail }),
  "Workspaces.idOf": ({ slug }) => Workspaces.idOf(slug),
  "FollowIncident.follow": {
    opened: sending("follow", FollowIncident.follow),
    asked: sending("asked", FollowIncident.follow)
  },
  "FollowIncident.investigate": sending("investigate", FollowIncident.investigate),
  ...hosted,
  ...connectionUses,
  ...trackerUses,
  "UpdateSource.update": sending("update", UpdateSource.update),
  "SendNotice.mail": sending("mail", SendNotice.mail),
  "SendNotice.post": sending("post", SendNotice.post)
}

/** Use cases without a workspace or member, which take a value to read, or a document for the demo. */
export const elsewhere = [
  ...shared,
  ...demo,
  ...identity,
  ...personal,
  ...sealing,
  "FollowIncident.payloadOf",
  "LeaseBell.rung",
  "Workspaces.warnOfReserved"
].sort()
