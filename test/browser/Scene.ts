import { Duration, Effect, Redacted } from "effect"
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Connections from "../../application/codehost/Connections.ts"
import * as Runners from "../../application/runner/Runners.ts"
import * as Authorization from "../../application/workspace/Authorization.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { hashOf } from "../../domain/workspace/ApiToken.ts"
import { introduction } from "../application/forge.ts"
import * as Places from "../../application/oncall/Places.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { TokenStore } from "../../application/ports/TokenStore.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import { type BindingId, newSync } from "../../domain/tracker/Binding.ts"
import * as ChangeBinding from "../../domain/tracker/ChangeBinding.ts"
import { usualMapping } from "../../domain/tracker/Mapping.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { byEmail } from "../../domain/workspace/Member.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { bare, lines } from "../codehost/Repositories.ts"
import * as Pulls from "../codehost/Pulls.ts"
import type { Stage } from "./Stage.ts"
import type { Place } from "./Table.ts"

/** The first token of an owner, and the id of another member. */
export const keysIn = (stage: Stage, slug: string, owner: string, other: string) =>
  stage.run(
    Effect.gen(function* () {
      const { member, workspace } = yield* stage.person(owner, slug)
      const [first] = yield* (yield* TokenStore).list(workspace, member.id)
      const { members } = yield* (yield* WorkspaceStore).roster(slug as WorkspaceSlug)
      return { token: first?.prefix ?? "", member: byEmail(members, other)?.id ?? "" }
    })
  )

/** Ids of the first service of a team and of the source of a name, after the team got a place. */
export const onCallIn = (stage: Stage, slug: string, owner: string, team: string, source: string) =>
  stage.run(
    Effect.gen(function* () {
      const by = yield* stage.person(owner, slug)
      yield* Places.add(by, {
        team: team as TeamSlug,
        name: "room",
        address: Redacted.make("https://chat.example.com/")
      })
      const { services, sources } = yield* (yield* OnCallStore).look(by.workspace)
      return {
        team,
        service: services.find((one) => one.team === team)?.id ?? "",
        source: sources.find(({ name }) => name === source)?.id ?? ""
      }
    })
  )

export const resolveIncident = (stage: Stage, key: string, email = "owner@demo.test", slug = "demo") =>
  stage.run(Effect.flatMap(stage.person(email, slug), (by) => Incidents.resolve(by, key as IncidentKey)))

/** Connects GitHub by a token that lacks a permission, and returns the id of the connection. */
export const connectionIn = (slug: string, member: string, name: string) =>
  Effect.gen(function* () {
    const person = yield* Authorization.member(slug as WorkspaceSlug, member, "app")
    const { connection } = yield* Connections.create(person, {
      name,
      kind: "github",
      baseUrl: "https://github.com",
      secret: Redacted.make("github_pat_of_the_demo"),
      installation: null,
      webhookSecret: null
    })
    yield* Connections.observe(person.workspace, connection.id, {
      problem: null,
      missing: ["acme/pay: statuses: write"]
    })
    return connection.id
  })

/** Binds a team to a project, and returns the slug of the team. */
export const bindingIn = (slug: string, member: string, team: string, connection: string, project: string) =>
  Effect.gen(function* () {
    const person = yield* Authorization.member(slug as WorkspaceSlug, member, "app")
    const store = yield* TrackerStore
    const id = (yield* Uuid.make) as BindingId
    const input = { id, connection, platform: "github", project, mapping: usualMapping } as const
    const decide = ChangeBinding.bind(Authorization.byOf(person), input)
    const binding = yield* store.change(person.workspace, team as TeamSlug, decide)
    const now = yield* store.now
    const sync = { ...newSync, sweptAt: now, readAt: now, swept: 1 }
    yield* store.progress(person.workspace, binding, sync, Duration.days(1))
  })

/** Registers a runner of a member, and returns its id. */
export const runnerIn = (slug: string, member: string, name: string) =>
  Effect.gen(function* () {
    const workspace = slug as WorkspaceSlug
    const made = { workspace, member, name: "build machine", permissions: ["read"], lifetime: "90d" } as const
    const { token: value } = yield* Tokens.create(bySystem, made)
    const { token } = yield* (yield* TokenStore).identify(yield* hashOf(value))
    const person = yield* Authorization.member(workspace, member, "app")
    return (yield* Runners.hello({ ...person, token }, { ...introduction, name })).id as string
  })

/** The demo after a night on call: one incident is over, one is open. */
export const demoPlace = async (stage: Stage): Promise<Place> => {
  const send = await stage.source("grafana", ["payments-api"])
  const about = { service: "payments-api", environment: "production", labels: { region: "eu-central-1" } }
  await send({ ...about, title: "Payouts are late", fingerprint: "late", severity: "high", environment: "staging" })
  const over = await stage.incident("Payouts are late")
  await resolveIncident(stage, over.key)
  await send({
    ...about,
    title: "Card payments fail with 502",
    fingerprint: "502",
    severity: "critical",
    description: "12 % of the requests to /v1/charges fail since the deployment of #347.",
    links: [{ label: "Dashboard", url: "https://grafana.example.com/d/payments" }]
  })
  const open = await stage.incident("Card payments fail with 502")
  await send({ ...about, title: "Queue of captures grows", fingerprint: "queue", severity: "medium" })
  await send({ ...about, title: "Disk of a replica is 81 % full", fingerprint: "disk", severity: "low" })
  await stage.mailed("owner@demo.test", /502/)
  const { workspace } = await stage.run(stage.person("owner@demo.test"))
  const repository = await stage.keep(bare)
  const files = { "fees.txt": lines([5, `rounded ${"to whole cents ".repeat(30)}`]), "docs/fees.md": "Rounded\n" }
  const head = repository.commit(Pulls.proposal.branch, files, { from: "main" })
  await stage.run(Pulls.open(workspace, { repository: repository.path, head }))
  const keys = await keysIn(stage, "demo", "owner@demo.test", "member@demo.test")
  const connection = await stage.run(connectionIn("demo", "owner@demo.test", "github"))
  await stage.run(bindingIn("demo", "owner@demo.test", "payments", connection, "acme/payments"))
  return {
    workspace: "demo",
    pending: "dec-h6k3",
    restricted: "dec-8zq1",
    answered: "dec-p7d3",
    expired: "dec-f6r0",
    open: open.key,
    resolved: over.key,
    link: await stage.link("admin@demo.test"),
    connection,
    runner: await stage.run(runnerIn("demo", "owner@demo.test", "build-7")),
    story: "PAY-6",
    tracked: "PAY-16",
    draft: "PAY-18",
    run: "run-fq26",
    overRun: "run-7f3k",
    ...(await onCallIn(stage, "demo", "owner@demo.test", "payments", "grafana")),
    ...keys
  }
}
