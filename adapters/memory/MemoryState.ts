import { Context, DateTime, Effect, Either, Layer, PubSub } from "effect"
import type { Sign } from "../../application/ports/ChangeLog.ts"
import type { LogPart } from "../../application/ports/runner/RunnerStore.ts"
import { marked, Origin } from "../../application/workspace/RequestOrigin.ts"
import type { Alert, AlertId } from "../../domain/oncall/Alert.ts"
import type { ApiToken, TokenId } from "../../domain/workspace/ApiToken.ts"
import type { AuditEntry } from "../../domain/workspace/Audit.ts"
import type { Change, Decided, Rows } from "../../domain/Change.ts"
import type { Binding, BindingId } from "../../domain/tracker/Binding.ts"
import type { Connection, ConnectionId } from "../../domain/connection/Connection.ts"
import type { Decision, DecisionKey } from "../../domain/work/Decision.ts"
import type { Arrival, DeliveryView } from "../../domain/oncall/Delivery.ts"
import type { Incident } from "../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import type { Job, JobId } from "../../domain/work/Job.ts"
import type { IdempotencyRecord } from "../../domain/workspace/IdempotencyRecord.ts"
import type { Member, MemberId } from "../../domain/workspace/Member.ts"
import type { MailKind } from "../../domain/oncall/MailPreference.ts"
import type { Notification, NotificationId } from "../../domain/oncall/InboxEntry.ts"
import type { Challenge, Passkey, PasskeyId } from "../../domain/workspace/Passkey.ts"
import type { Place } from "../../domain/oncall/Place.ts"
import type { ProviderIdentity } from "../../domain/workspace/openid/ProviderIdentity.ts"
import type { CommitId, PullRequestNumber, PullRequestRecord } from "../../domain/codehost/PullRequestRecord.ts"
import type { RefusedDelivery } from "../../domain/oncall/RefusedDelivery.ts"
import type { Run } from "../../domain/work/Run.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { Runner } from "../../domain/runner/Runner.ts"
import { type KeptMirror, newMirror } from "./tracker/KeptMirror.ts"
import { endsTokens, revokedBy, type HeldWork, withOffline } from "../../domain/runner/TakeOffline.ts"
import type { RunnerId } from "../../domain/work/Lease.ts"
import type { Service } from "../../domain/oncall/Service.ts"
import type { Session } from "../../domain/workspace/Session.ts"
import type { SignInLink } from "../../domain/workspace/SignInLink.ts"
import { type AddressKey, addressKey, type Membership } from "../../domain/workspace/SignInReach.ts"
import type { SignalSource, SourceId } from "../../domain/oncall/SignalSource.ts"
import type { Story, StoryKey } from "../../domain/work/Story.ts"
import type { Team, TeamSlug } from "../../domain/workspace/Team.ts"
import type { Health } from "../../domain/oncall/UptimeCheck.ts"
import type { Workspace, WorkspaceId } from "../../domain/workspace/Workspace.ts"

/** Insertion order is the sequence, so a row's position in its map is Postgres' seq. */
interface Sequenced<A> {
  readonly seq: bigint
  readonly value: A
}

/** A delivery with all its stored fields. */
export interface KeptDelivery extends Omit<Arrival, "isReplay"> {
  name: string | null
  status: DeliveryView["status"] | "replayed"
  verdicts: DeliveryView["verdicts"]
  body: string | null
}

export interface KeptLogPart extends LogPart {
  readonly until: number
}

/** The state of the watch of a connection. */
export interface KeptWatch {
  dueAt: DateTime.Utc
  /** Culprits of red main branches by repository. */
  reported: Readonly<Record<string, CommitId>>
  /** Ids of webhooks with the time of their receipt. */
  readonly deliveries: Map<string, DateTime.Utc>
}

interface KeptRefusals {
  count: number
  lastAt: DateTime.Utc
  last: string
  noticedAt: DateTime.Utc
  /** Newest first. */
  entries: ReadonlyArray<RefusedDelivery>
}

export interface Tenant {
  workspace: Workspace
  readonly members: Map<MemberId, Member>
  readonly tokens: Map<TokenId, ApiToken>
  /** Days before the end for which a token's last notice was given. */
  readonly expiryNotices: Map<TokenId, number>
  readonly mailOff: Map<MemberId, ReadonlyArray<MailKind>>
  readonly windows: Map<TokenId, { startedAt: DateTime.Utc; requests: number }>
  readonly teams: Map<TeamSlug, Team>
  readonly services: Map<Service["id"], Service>
  readonly places: Map<string, Place>
  readonly sources: Map<SourceId, SignalSource>
  readonly checks: Map<SourceId, { readonly begunAt: DateTime.Utc; readonly health: Health }>
  readonly refusals: Map<SourceId, KeptRefusals>
  readonly deliveries: Array<KeptDelivery>
  readonly incidents: Map<IncidentKey, Sequenced<Incident>>
  readonly alerts: Map<AlertId, Sequenced<Alert>>
  readonly stories: Map<StoryKey, Sequenced<Story>>
  readonly runs: Map<RunKey, Sequenced<Run>>
  readonly runners: Map<RunnerId, Runner>
  /** By run and attempt. */
  readonly logs: Map<string, ReadonlyArray<KeptLogPart>>
  readonly decisions: Map<DecisionKey, Sequenced<Decision>>
  readonly connections: Map<ConnectionId, Connection>
  readonly watches: Map<ConnectionId, KeptWatch>
  readonly bindings: Map<BindingId, Binding>
  readonly mirror: KeptMirror
  readonly pullRequests: Map<PullRequestNumber, PullRequestRecord>
  readonly jobs: Map<JobId, Sequenced<Job>>
  readonly notifications: Map<NotificationId, Sequenced<Notification>>
  readonly keptAnswers: Array<IdempotencyRecord>
  readonly audit: Array<Sequenced<AuditEntry>>
  readonly signs: PubSub.PubSub<Sign>
}

class Tenants extends Map<WorkspaceId, Tenant> {
  /** Signs of all workspaces. */
  readonly signs = Effect.runSync(PubSub.sliding<Sign>(4096))
  /** How people sign in, in all workspaces. */
  readonly identity = {
    links: new Map<string, SignInLink>(),
    sessions: new Map<string, Session>(),
    passkeys: new Map<PasskeyId, Passkey>(),
    /** By issuer and subject. */
    identities: new Map<string, ProviderIdentity>(),
    challenges: new Map<string, Challenge>(),
    attempts: new Map<string, { readonly startedAt: DateTime.Utc; count: number }>()
  }
}

/** One shared state behind every memory adapter. */
export class State extends Context.Tag("adapters/memory/State")<State, Tenants>() {}

export const layer = Layer.sync(State, () => new Tenants())

export const sign = ({ signs, workspace }: Tenant, topic: Sign["topic"], id: string) =>
  signs.unsafeOffer({ workspace: workspace.id, topic, id })

let seq = 0n

const keep = <K, A>(map: Map<K, Sequenced<A>>, key: K, value: A) => {
  map.set(key, { seq: map.get(key)?.seq ?? ++seq, value })
}

export const write = (tenant: Tenant, rows: Rows) => {
  for (const workspace of rows.workspaces ?? []) tenant.workspace = workspace
  for (const member of rows.members ?? []) tenant.members.set(member.id, member)
  for (const token of rows.tokens ?? []) tenant.tokens.set(token.id, token)
  for (const team of rows.teams ?? []) tenant.teams.set(team.slug, team)
  for (const service of rows.services ?? []) tenant.services.set(service.id, service)
  for (const place of rows.places ?? []) tenant.places.set(`${place.team} ${place.name}`, place)
  for (const source of rows.sources ?? []) tenant.sources.set(source.id, source)
  for (const incident of rows.incidents ?? []) keep(tenant.incidents, incident.key, incident)
  for (const alert of rows.alerts ?? []) keep(tenant.alerts, alert.id, alert)
  for (const story of rows.stories ?? []) keep(tenant.stories, story.key, story)
  for (const runner of rows.runners ?? []) tenant.runners.set(runner.id, runner)
  for (const run of rows.runs ?? []) keep(tenant.runs, run.key, run)
  for (const decision of rows.decisions ?? []) keep(tenant.decisions, decision.key, decision)
  for (const one of rows.connections ?? []) tenant.connections.set(one.id, one)
  for (const one of rows.bindings ?? []) tenant.bindings.set(one.id, one)
  for (const one of rows.pullRequests ?? []) tenant.pullRequests.set(one.number, one)
  for (const job of rows.jobs ?? []) keep(tenant.jobs, job.id, job)
  for (const notification of rows.notifications ?? []) {
    keep(tenant.notifications, notification.id, notification)
    sign(tenant, "inbox", notification.id)
  }
  tenant.keptAnswers.push(...(rows.keptAnswers ?? []))
}

const emptyTenant = (workspace: Workspace, signs: Tenant["signs"]): Tenant => ({
  workspace,
  signs,
  members: new Map(),
  tokens: new Map(),
  expiryNotices: new Map(),
  mailOff: new Map(),
  windows: new Map(),
  teams: new Map(),
  services: new Map(),
  places: new Map(),
  sources: new Map(),
  checks: new Map(),
  refusals: new Map(),
  deliveries: [],
  incidents: new Map(),
  alerts: new Map(),
  stories: new Map(),
  runs: new Map(),
  runners: new Map(),
  logs: new Map(),
  decisions: new Map(),
  connections: new Map(),
  watches: new Map(),
  bindings: new Map(),
  mirror: newMirror(),
  pullRequests: new Map(),
  jobs: new Map(),
  notifications: new Map(),
  keptAnswers: [],
  audit: []
})

export const record = (
  tenant: Tenant,
  now: DateTime.Utc,
  audit: Change["audit"],
  origin: typeof Origin.Service = { isCommandLine: false }
) => {
  for (const fact of marked(audit, origin))
    tenant.audit.push({
      seq: BigInt(tenant.audit.length + 1),
      value: { id: crypto.randomUUID(), timestamp: now, ...fact }
    })
  sign(tenant, "audit", String(tenant.audit.length))
}

/** The memberships of an address in all workspaces, by slug. */
export const membershipsOf = (state: typeof State.Service, email: AddressKey): ReadonlyArray<Membership> =>
  [...state.values()]
    .filter(({ workspace }) => workspace.deletedAt === null)
    .flatMap(({ members, workspace }) =>
      [...members.values()]
        .filter((member) => member.removedAt === null && addressKey(member.email) === email)
        .map(({ email, id, name, role }) => ({
          workspace: workspace.id,
          workspaceSlug: workspace.slug,
          workspaceName: workspace.name,
          member: { id, email, name, role }
        }))
    )
    .toSorted((a, b) => (a.workspaceSlug < b.workspaceSlug ? -1 : 1))

const leave = (state: typeof State.Service, left: WorkspaceId, email: AddressKey) => {
  const isEverywhere = membershipsOf(state, email).every(({ workspace }) => workspace === left)
  const isOver = (one: { readonly email: AddressKey }, workspace: WorkspaceId | null) =>
    one.email === email && (isEverywhere || workspace === left)
  const { identities, links, passkeys, sessions } = state.identity
  for (const one of links.values()) if (isOver(one, one.target?.workspace ?? null)) links.delete(one.hash)
  const opened = ({ reach }: Session | Passkey) => (reach.type === "workspace" ? reach.workspace : null)
  for (const one of sessions.values()) if (isOver(one, opened(one))) sessions.delete(one.hash)
  for (const one of passkeys.values()) if (isOver(one, opened(one))) passkeys.delete(one.id)
  for (const [key, one] of identities) if (isOver(one, null)) identities.delete(key)
}

/** Runners of the tokens that a change ends, and the runs they hold. */
const heldBy = (tenant: Tenant, change: Change): HeldWork => {
  const left = new Set((change.leaving ?? []).map(({ id }) => id))
  const tokens = new Set([
    ...revokedBy(change),
    ...[...tenant.tokens.values()].flatMap(({ id, memberId }) => (left.has(memberId) ? [id] : []))
  ])
  return {
    runners: [...tenant.runners.values()].filter(({ token }) => tokens.has(token)),
    held: [...tenant.runs.values()]
      .map(({ value }) => value)
      .filter(({ lease }) => lease?.token != null && tokens.has(lease.token))
  }
}

/** Decides and writes in one synchronous step, so that changes never interleave. */
export const change = <A, E, F>(
  state: typeof State.Service,
  find: () => Tenant | undefined,
  decide: (tenant: Tenant | undefined, now: DateTime.Utc) => Either.Either<Decided<A, F>, E>
): Effect.Effect<A, E | F> =>
  Effect.flatMap(Effect.zip(DateTime.now, Origin), ([now, origin]) =>
    Effect.suspend(() => {
      const existing = find()
      return Either.flatMap(decide(existing, now), ({ answer, change }) => {
        const created = change.added?.workspaces?.[0]
        const tenant = existing ?? (created && emptyTenant(created, state.signs))
        if (tenant === undefined) return answer
        const whole = endsTokens(change) ? withOffline(change, heldBy(tenant, change), now) : change
        const { added = {}, audit, changed = {}, leaving = [] } = whole
        state.set(tenant.workspace.id, tenant)
        write(tenant, added)
        write(tenant, changed)
        for (const { email } of leaving) leave(state, tenant.workspace.id, addressKey(email))
        record(tenant, now, audit, origin)
        return answer
      })
    })
  )

export const bySlug = (state: typeof State.Service, slug: string): Tenant | undefined =>
  [...state.values()].find((tenant) => tenant.workspace.slug === slug)
