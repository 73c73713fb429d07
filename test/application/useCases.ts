import { Context, Effect } from "effect"
import { readdirSync } from "node:fs"
import { join, resolve } from "node:path"

/** Texts and rules that use cases share; they have no workspace. */
export const shared = [
  "Authorization.byOf",
  "Authorization.isPerson",
  "AuditFile.nameOf",
  "AuditFile.write",
  "Backoff.plan",
  "Backoff.waitAfter",
  "Connections.open",
  "Csv.file",
  "Cursors.claim",
  "HostWork.attemptOf",
  "LeaseGrant.grantOf",
  "HostWork.endingRun",
  "HostWork.isCurrent",
  "HostWork.isMerged",
  "HostWork.orFail",
  "HostWork.over",
  "HostWork.refusingRun",
  "JobTry.make",
  "JsonBody.isNestedDeeper",
  "JsonBody.parse",
  "Listing.claim",
  "Listing.page",
  "Listing.settle",
  "RequestOrigin.marked",
  "PullRequestPage.presented",
  "PullRequests.numberIn",
  "OutageLog.failuresOf",
  "OutageLog.logFailure",
  "PeriodicTasks.oldestDueJob",
  "Sealing.lazily",
  "DeniedTarget.named",
  "DeniedTarget.ofWorkspace",
  "TestSource.asTest",
  "TestSource.testOf",
  "WriteTracker.obeying",
  "Tokens.limited",
  "Tokens.hashOf"
]

/** Use cases without a change: the shared ones, and reads. */
export const harmless = [
  ...shared,
  "Authorization.admit",
  "Authorization.member",
  "Authorization.permit",
  "AuditExport.verify",
  "AppManifest.begin",
  "Bindings.check",
  "Bindings.list",
  "Bindings.show",
  "Connections.find",
  "Connections.list",
  "Connections.repositoriesOf",
  "Decisions.isAnswerOf",
  "Decisions.jobsOf",
  "Decisions.look",
  "Decisions.settled",
  "HostWork.hostFor",
  "HostWork.hostsOf",
  "HostWork.runOf",
  "Intake.find",
  "ReceiveHook.find",
  "OwnRun.enter",
  "OwnRun.read",
  "Runners.find",
  "Runners.list",
  "LeaseBell.rung",
  "LeaseCredential.first",
  "LeaseCredential.next",
  "Runners.logs",
  "Stories.brief",
  "DeniedTarget.ofMember",
  "DeniedTarget.ofService",
  "DeniedTarget.ofSource",
  "DeniedTarget.ofTeam",
  "TestSource.prepare",
  "Tokens.list",
  "Workspaces.idOf",
  "Workspaces.warnOfReserved"
]

/** Kept without an audit entry: refusals of strangers, heartbeats of runners and lines of a log. */
export const counted = ["Intake.refuse", "OwnRun.progress", "ReceiveHook.receive", "Runners.renew", "Runs.note"]

/** Run by jobs that a recorded use case has queued; tests of their own cover their writes. */
export const jobs = [
  "MirrorTracker.round",
  "WriteStory.write",
  "WriteTracker.round",
  "WriteTracker.turn",
  "FollowHost.blocked",
  "FollowHost.mainBranch",
  "FollowHost.moved",
  "FollowHost.pullRequest",
  "WatchConnections.round",
  "FollowIncident.follow",
  "FollowIncident.payloadOf",
  "FollowIncident.investigate",
  "OpenRevert.open",
  "PullRequests.merge",
  "PullRequests.open",
  "PullRequests.record",
  "RestoreSpec.restore",
  "UpdateSource.update",
  "SendNotice.mail",
  "SendNotice.post"
]

/** Reseals stored secrets, which keep their content. */
export const sealing = ["KeyRotation.begin"]

/** Sign-ins belong to an address with its workspaces; IdentityStoreContract.ts shows their entries and their borders. */
export const identity = [
  "Invitations.again",
  "Invitations.invite",
  "OpenId.finish",
  "OpenId.start",
  "Passkeys.finishRegistration",
  "Passkeys.finishSignIn",
  "Passkeys.list",
  "Passkeys.remove",
  "Passkeys.rename",
  "Passkeys.startRegistration",
  "Passkeys.startSignIn",
  "Sessions.find",
  "Sessions.list",
  "Sessions.personIn",
  "Sessions.signOut",
  "SignIn.begin",
  "SignIn.canMail",
  "SignIn.invite",
  "SignIn.makeLink",
  "SignIn.openLink",
  "SignIn.requestLink",
  "SignIn.useLink"
]

/** Settings of a member's own and notices of their tokens, without an audit entry; InboxContract.ts shows them. */
export const personal = ["NoticeExpiry.tokens", "Preferences.get", "Preferences.set"]

/** Composed of other use cases. */
export const demo = ["Demo.onFirstStart", "Demo.recreate", "DemoIncidents.drive", "DemoRun.drive", "LiveDemo.prepare"]

const rooms = ["workspace", "work", "work/tracker", "oncall", "codehost", "jobs", "runner", "secrets"]

const folder = resolve(import.meta.dirname, "../../application")

const isUseCase = (value: unknown) =>
  (!Context.isTag(value) && Effect.isEffect(value)) ||
  (typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value)))

/** Every existing use case, by its module and name. */
export const found = async (): Promise<ReadonlyArray<string>> => {
  const modules = rooms.flatMap((room) =>
    readdirSync(join(folder, room)).flatMap((file) => {
      const name = /^(\w+)\.ts$/.exec(file)?.[1]
      return name === undefined ? [] : [{ room, name }]
    })
  )
  const names = await Promise.all(
    modules.map(async ({ name, room }) => {
      const exported = (await import(/* @vite-ignore */ join(folder, room, `${name}.ts`))) as Record<string, unknown>
      return Object.keys(exported).flatMap((key) => (isUseCase(exported[key]) ? [`${name}.${key}`] : []))
    })
  )
  return names.flat().sort()
}
