import { DateTime, Effect, Redacted } from "effect"
import * as MemoryState from "../../adapters/memory/MemoryState.ts"
import type { Person } from "../../application/workspace/Authorization.ts"
import * as AuditExport from "../../application/workspace/AuditExport.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as Places from "../../application/oncall/Places.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import type { Connection } from "../../domain/connection/Connection.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import { type Email, Role } from "../../domain/workspace/Member.ts"
import { usual } from "../../domain/work/DecisionTriggers.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Equipment } from "../support/Equipment.ts"
import * as OnCall from "../support/OnCall.ts"
import type { Keeper } from "../twins/Keeper.ts"
import { memoryKeeper } from "../twins/MemoryKeeper.ts"
import type { Stores } from "../support/World.ts"
import { arrangeForge, type Arranged, forgeTeam, forgeWork } from "./forge.ts"

export const payments = "payments" as TeamSlug
export const web = "web" as TeamSlug
export const story = (key: string) => key as StoryKey
export const run = (key: string) => key as RunKey
export const decision = (key: string) => key as DecisionKey
export const leaver = "leaver@acme.test" as Email

const content = { description: "Why", acceptanceCriteria: [{ text: "It works" }], demonstrate: ["Show it"] }
const tracker = { platform: "github", key: "#7", url: "https://example.test/7" }
const asked = { kind: "plan_approval", title: "Plan?", recommendation: "yes", options: Seed.options }

/** A workspace in which every use case has an object to change, and one to refuse. */
const document = {
  teams: [
    { slug: payments, name: "Payments", keyPrefix: "PAY", policy: { preset: "standard", maxConcurrency: 9 } },
    { slug: web, name: "Web", keyPrefix: "WEB", paused: true },
    forgeTeam
  ],
  services: [
    { team: payments, name: "checkout" },
    { team: payments, name: "basket" }
  ],
  stories: [
    { key: "PAY-1", team: payments, title: "Asked about", column: { role: "in_progress" } },
    { key: "PAY-2", team: payments, title: "A draft", draft: true, ...content },
    { key: "PAY-3", team: payments, title: "Ready", column: { role: "ready" } },
    { key: "PAY-4", team: payments, title: "Failed" },
    { key: "PAY-5", team: payments, title: "Queued" },
    { key: "PAY-6", team: payments, title: "Going on" },
    { key: "PAY-7", team: payments, title: "An empty draft", draft: true },
    { key: "WEB-1", team: web, title: "Tracked", tracker },
    { key: "WEB-2", team: web, title: "Queued" },
    ...forgeWork.stories
  ],
  runs: [
    { key: "run-aaaa", story: "PAY-1", status: "waiting" },
    { key: "run-cccc", story: "PAY-4", status: "failed", failureClass: "gate" },
    { key: "run-dddd", story: "PAY-5" },
    { key: "run-eeee", story: "PAY-6", status: "running", stage: "handing_off" },
    { key: "run-ffff", story: "WEB-2" },
    ...forgeWork.runs
  ],
  decisions: [
    { key: "dec-aaaa", run: "run-aaaa", ...asked },
    { key: "dec-bbbb", team: payments, status: "expired", ...asked },
    { key: "dec-cccc", team: web, ...asked, createdAt: "1960-01-01T00:00:00.000Z" }
  ]
}

export interface Place {
  readonly id: WorkspaceId
  readonly slug: WorkspaceSlug
  readonly people: Readonly<Record<Role, Person>>
  /** The prefix of a token of each role. */
  readonly tokens: Readonly<Record<Role, string>>
  readonly connection: Connection
  readonly onCall: OnCall.Arranged
  readonly forge: Arranged
}

export const arrange = Effect.gen(function* () {
  const { id, slug } = yield* Seed.workspace
  yield* Seed.load(slug, document)
  yield* Members.add(bySystem, { workspace: slug, email: leaver, name: "Lena Leaver", role: "member" })
  const [member, admin, owner] = yield* Effect.all([
    People.person(slug, "member"),
    People.person(slug, "admin"),
    People.person(slug, "owner")
  ])
  const made = yield* Effect.forEach(Role.literals, (role) => Seed.token(slug, ["read"], People.emailOf(role)))
  const [ofMember, ofAdmin, ofOwner] = made.map(({ prefix }) => prefix)
  const place: Place = {
    id,
    slug,
    people: { member, admin, owner },
    tokens: { member: ofMember ?? "", admin: ofAdmin ?? "", owner: ofOwner ?? "" },
    connection: (yield* Connections.create(owner, { ...newConnection, name: "github" })).connection,
    onCall: yield* OnCall.arrange(owner, payments),
    forge: yield* arrangeForge(owner)
  }
  return place
})

/** A workspace in memory that is made once and restored for each test. */
export const restored = <E, R>(make: Effect.Effect<Place, E, R>) => {
  let kept: { readonly place: Place; readonly keeper: Keeper } | undefined
  return Effect.gen(function* () {
    if (kept === undefined) {
      const place = yield* make
      const keeper = memoryKeeper(yield* MemoryState.State)
      yield* Effect.promise(keeper.save)
      kept = { place, keeper }
    }
    yield* Effect.promise(kept.keeper.restore)
    return kept.place
  })
}

/** In PagerDuty's format. */
const credentials = Redacted.make('{"key":"of-the-tests","from":"oncall@acme.test"}')

export type Act = (
  place: Place,
  person: Person
) => Effect.Effect<unknown, { readonly _tag: string }, Stores | Equipment>

/** The refusal of an act; fails when it succeeds. */
export const refused = (act: ReturnType<Act>) => Effect.flip(Effect.asVoid(act))

export const question = {
  kind: "clarification" as const,
  title: "Which?",
  body: "",
  subject: null,
  authority: "member" as const,
  ...usual("clarification")
}

export const answer = (optionId: string, key = "dec-aaaa", note: string | null = null) => ({
  decision: decision(key),
  optionId,
  note,
  idempotency: null
})

export const newTeam = {
  slug: "shop" as TeamSlug,
  name: "Shop",
  keyPrefix: "SHOP",
  description: null,
  preset: "trial" as const
}
export const newStory = { team: payments, title: "New", column: "backlog" as const, draft: true }
export const newToken = { name: "mine", permissions: ["read"] as const, lifetime: "30d" as const }

export const newPlace = { team: payments, name: "phone", address: Redacted.make("https://chat.example.com/phone") }
export const newSource = {
  name: "grafana",
  kind: "grafana" as const,
  services: ["checkout"],
  secret: null,
  isTimestampRequired: false
}
export const newConnection = {
  name: "enterprise",
  kind: "github" as const,
  baseUrl: "https://git.acme.test",
  secret: Redacted.make("github_pat_of_the_tests"),
  installation: null,
  webhookSecret: null
}
const secret = Redacted.make("a secret of the tool's own")

/** Acts of people, each of which succeeds for a member with the right. */
export const acts = {
  "AuditExport.exportFile": (_, person) =>
    AuditExport.exportFile(person, DateTime.unsafeMake(0), Seed.anyEntry, "json"),
  "Connections.create": (_, person) => Connections.create(person, newConnection),
  "Connections.list": (_, person) => Connections.list(person),
  "Connections.test": (_, person) => Connections.test(person, "github"),
  "Connections.renew": (_, person) => Connections.renew(person, "github", { secret, way: "token" }),
  "Connections.remove": (_, person) => Connections.remove(person, "github"),
  "Decisions.answer": (_, person) => Decisions.answer(person, answer("yes")),
  "Decisions.raise": (_, person) => Decisions.raise(person, { run: run("run-eeee") }, question),
  "TriageWorker.replay": ({ onCall }, person) => TriageWorker.replay(person, onCall.delivery),
  "Incidents.acknowledge": ({ onCall }, person) => Incidents.acknowledge(person, onCall.incidents.open),
  "Incidents.resolve": ({ onCall }, person) => Incidents.resolve(person, onCall.incidents.open),
  "Incidents.note": ({ onCall }, person) => Incidents.note(person, onCall.incidents.resolved, "The disk was full."),
  "Members.add": ({ slug }, person) =>
    Members.add(person, { workspace: slug, email: "new@acme.test" as Email, name: "Nia New", role: "member" }),
  "Members.set": ({ slug }, person) => Members.set(person, { workspace: slug, email: leaver, role: "admin" }),
  "Members.remove": ({ slug }, person) => Members.remove(person, { workspace: slug, email: leaver }),
  "Places.add": (_, person) => Places.add(person, newPlace),
  "Places.remove": (_, person) => Places.remove(person, payments, "chat"),
  "Runners.drain": (_, person) => Runners.drain(person, "build-1"),
  "Runners.list": (_, person) => Runners.list(person),
  "Runners.remove": (_, person) => Runners.remove(person, "build-1"),
  "Runs.finish": (_, person) => Runs.finish(person, run("run-eeee"), "succeeded"),
  "Runs.lease": (_, person) => Runs.lease(person, { team: null, run: null }),
  "Runs.report": (_, person) => Runs.report(person, run("run-eeee"), [{ type: "stage", stage: "verifying" }]),
  "Runs.retry": (_, person) => Runs.retry(person, run("run-cccc"), null),
  "Runs.start": (_, person) => Runs.start(person, story("PAY-3")),
  "Runs.stop": (_, person) => Runs.stop(person, run("run-aaaa")),
  "Services.create": (_, person) => Services.create(person, { team: payments, name: "refunds" }),
  "Services.remove": (_, person) => Services.remove(person, "checkout", "checkout"),
  "Services.set": (_, person) => Services.set(person, "checkout", { minimumSeverity: "low" }),
  "Sources.create": (_, person) => Sources.create(person, newSource),
  "Sources.pause": (_, person) => Sources.pause(person, "tool"),
  "Sources.remove": (_, person) => Sources.remove(person, "tool", "tool"),
  "Sources.resume": (_, person) => Sources.resume(person, "quiet"),
  "Sources.rotate": (_, person) => Sources.rotate(person, "tool"),
  "Sources.set": (_, person) => Sources.set(person, "tool", { services: ["basket"], isTimestampRequired: null }),
  "Sources.setCredentials": (_, person) => Sources.setCredentials(person, "pager", credentials),
  "Sources.setSecret": (_, person) => Sources.setSecret(person, "tool", secret),
  "Stories.approve": (_, person) => Stories.approve(person, story("PAY-2")),
  "Stories.create": (_, person) => Stories.create(person, newStory),
  "Stories.edit": (_, person) => Stories.edit(person, story("PAY-1"), { title: "Renamed" }),
  "Stories.move": (_, person) => Stories.move(person, story("PAY-3"), "backlog"),
  "Stories.reject": (_, person) => Stories.reject(person, story("PAY-2")),
  "Teams.create": (_, person) => Teams.create(person, newTeam),
  "Teams.pause": (_, person) => Teams.pause(person, payments),
  "Teams.remove": (_, person) => Teams.remove(person, payments, payments),
  "Teams.resume": (_, person) => Teams.resume(person, web),
  "Teams.set": (_, person) => Teams.set(person, payments, { repositories: ["https://git.acme.test/pay"] }),
  "Teams.setPolicy": (_, person) => Teams.setPolicy(person, payments, { settings: { decisionHours: 5 } }),
  "Tokens.create": ({ slug }, person) =>
    Tokens.create(person, { ...newToken, workspace: slug, member: People.emailOf(person.member.role) }),
  "Tokens.revoke": ({ slug, tokens }, person) =>
    Tokens.revoke(person, { workspace: slug, prefix: tokens[person.member.role] })
} satisfies Record<string, Act>
