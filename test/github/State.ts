// @effect-diagnostics globalDate:off
/** Records of the GitHub for tests. */
import type { KeyObject } from "node:crypto"

export type Level = "none" | "read" | "write" | "admin"
/** Roles of people; triage counts as read and maintain as write where only levels are known. */
export type Role = Level | "triage" | "maintain"
export type Permissions = Readonly<Record<string, Level>>

export interface User {
  readonly id: number
  readonly login: string
  readonly type: "User" | "Organization" | "Bot"
}

export interface App {
  readonly id: number
  readonly slug: string
  readonly name: string
  readonly owner: User
  readonly clientId: string
  readonly clientSecret: string
  readonly pem: string
  readonly publicKey: KeyObject
  readonly createdAt: number
  readonly setupUrl: string | null
  permissions: Permissions
  events: ReadonlyArray<string>
  hook: HookTarget
}

export interface HookTarget {
  readonly id: number
  readonly url: string | null
  readonly secret: string | null
  readonly events: ReadonlyArray<string> | null
}

export interface Delivery {
  readonly id: number
  readonly guid: string
  readonly event: string
  readonly action: string | null
  readonly hook: HookTarget
  readonly app: App | null
  readonly installation: number | null
  readonly repository: number | null
  readonly payload: string
  readonly isAgain: boolean
  /** Status of the receiver's answer; 0 when there was none, null before it was sent. */
  status: number | null
  deliveredAt: number
}

export interface Installation {
  readonly id: number
  readonly app: App
  readonly account: User
  readonly createdAt: number
  /** Null means every repository of the account. */
  repositories: Set<number> | null
  permissions: Permissions
  suspendedAt: number | null
  isDeleted: boolean
}

export interface Token {
  readonly value: string
  readonly installation: Installation | null
  readonly user: User
  /** Null means everything its holder may use. */
  readonly repositories: ReadonlySet<number> | null
  /** Null means everything its holder may do. */
  readonly permissions: Permissions | null
  readonly expiresAt: number | null
  /** Scopes of a classic token; undefined means all. */
  readonly scopes?: ReadonlyArray<string>
  isRevoked: boolean
}

/** Rules of a branch. */
export interface Protection {
  readonly requiredChecks: ReadonlyArray<string>
  /** The branch must contain its base. */
  readonly isStrict: boolean
  readonly reviews: number
  readonly mergeQueue: boolean
}

export interface CheckSuite {
  readonly id: number
  readonly app: App
  readonly head: string
  readonly createdAt: number
}

export interface CheckRun {
  readonly id: number
  readonly suite: CheckSuite
  readonly head: string
  name: string
  externalId: string
  detailsUrl: string | null
  status: string
  conclusion: string | null
  startedAt: string
  completedAt: string | null
  output: Readonly<Record<string, unknown>>
}

export interface Status {
  readonly id: number
  readonly sha: string
  readonly state: string
  readonly context: string
  readonly description: string | null
  readonly targetUrl: string | null
  readonly creator: User
  readonly createdAt: number
}

export interface Label {
  readonly id: number
  name: string
  color: string
  description: string | null
}

export interface Comment {
  readonly id: number
  readonly user: User
  readonly createdAt: number
  readonly app: App | null
  body: string
  updatedAt: number
}

export interface Pull {
  readonly headRef: string
  head: string
  base: string
  baseSha: string
  draft: boolean
  mergedAt: number | null
  mergedBy: User | null
  mergeCommit: string | null
  /** Result of the last test merge, for one pair of commits. */
  judged: { readonly pair: string; readonly merge: string | null; nulls: number } | null
  queue: QueueEntry | null
  /** Times at which it was put into the queue and taken out of it. */
  readonly queueEvents: Array<{ readonly at: number; readonly reason: string | null; readonly isRemoval: boolean }>
}

export interface QueueEntry {
  readonly id: number
  readonly position: number
  readonly head: string
  readonly enqueuer: User
  readonly enqueuedAt: number
}

/** A change of an issue, as its page lists it; edits of the body leave none. */
export interface IssueEvent {
  readonly id: number
  readonly actor: User
  readonly app: App | null
  readonly event: string
  readonly createdAt: number
  readonly more: Readonly<Record<string, unknown>>
}

/** An issue; a pull request is an issue with a `pull`. */
export interface Issue {
  readonly id: number
  readonly number: number
  readonly user: User
  readonly app: App | null
  readonly createdAt: number
  readonly pull: Pull | null
  readonly comments: Array<Comment>
  readonly events: Array<IssueEvent>
  /** Edits of the body, the oldest first. */
  readonly edits: Array<{ readonly by: User; readonly at: number }>
  title: string
  body: string | null
  state: "open" | "closed"
  stateReason: string | null
  labels: Array<Label>
  assignees: Array<User>
  updatedAt: number
  closedAt: number | null
  closedBy: User | null
  locked: boolean
}

/** The fields that every new issue and pull request begins with. */
export const unclosed = (title: string, body: string | null, now: number) => ({
  comments: [],
  events: [],
  edits: [],
  title,
  body,
  state: "open" as const,
  stateReason: null,
  labels: [],
  assignees: [],
  createdAt: now,
  updatedAt: now,
  closedAt: null,
  closedBy: null,
  locked: false
})

export type PullRequest = Issue & { readonly pull: Pull }

export interface Repository {
  readonly id: number
  readonly owner: User
  readonly name: string
  readonly path: string
  readonly isPrivate: boolean
  readonly createdAt: number
  readonly collaborators: Map<string, Role>
  readonly protections: Map<string, Protection>
  readonly suites: Array<CheckSuite>
  readonly checkRuns: Array<CheckRun>
  readonly statuses: Array<Status>
  readonly issues: Array<Issue>
  readonly labels: Array<Label>
  readonly hooks: Array<HookTarget>
  /** Refs as the last push left them. */
  readonly refs: Map<string, string>
  readonly mergeMethods: Set<string>
  /** Issues that were deleted, or transferred to another address. */
  readonly gone: Map<number, string | null>
  lastNumber: number
  hasIssues: boolean
  defaultBranch: string
  pushedAt: number
  /** Ends when the last change of a ref has been seen. */
  turn: Promise<unknown>
}

export interface BoardField {
  readonly id: number
  readonly name: string
  /** Null for a field of text. */
  readonly options: ReadonlyArray<{ readonly id: string; readonly name: string }> | null
}

export interface BoardItem {
  readonly id: number
  readonly issue: Issue
  readonly values: Map<string, { readonly option: string; readonly at: number }>
  isArchived: boolean
}

/** A project (v2) of an organization or a person. */
export interface Board {
  readonly id: number
  readonly owner: User
  readonly number: number
  readonly fields: Array<BoardField>
  /** Logins of people who may write to it. */
  readonly members: Set<string>
  readonly items: Array<BoardItem>
  /** False when moves are not recorded at issues, as it happens on GitHub. */
  records: boolean
}

/** The server's own time, which a test moves. */
export interface Clock {
  readonly now: () => number
  readonly advance: (milliseconds: number) => void
}

export const makeClock = (source: () => number = Date.now): Clock => {
  let ahead = 0
  return { now: () => source() + ahead, advance: (milliseconds) => void (ahead += milliseconds) }
}

/** A time as GitHub writes it, without milliseconds. */
export const timestamp = (at: number) => `${new Date(at).toISOString().slice(0, 19)}Z`
export const timeOrNull = (at: number | null) => (at === null ? null : timestamp(at))
export const httpDate = (at: number) => new Date(at).toUTCString()

export const nodeId = (kind: string, id: number) => `${kind}_${Buffer.from(`gh:${id}`).toString("base64url")}`
export const fullName = (repository: Repository) => `${repository.owner.login}/${repository.name}`
export const isPullRequest = (issue: Issue): issue is PullRequest => issue.pull !== null
