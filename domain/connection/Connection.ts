import { Schema } from "effect"
import { hostOf } from "../value/Repository.ts"
import { Line, Name, parseUrl, Text } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"

export const ConnectionId = Schema.UUID.pipe(Schema.brand("ConnectionId"))
export type ConnectionId = typeof ConnectionId.Type

/** A system that the workspace is connected to. */
export const ConnectionKind = Schema.Literal("github")
export type ConnectionKind = typeof ConnectionKind.Type

/** A fine-grained token of a person, or an installation of a GitHub App. */
export const ConnectionWay = Schema.Literal("token", "app")
export type ConnectionWay = typeof ConnectionWay.Type

export const ConnectionName = Name(100)

/** The App behind a connection of the way `app`. */
export const AppInstallation = Schema.Struct({
  /** Client id or number of the App, which signs as its issuer. */
  app: Line(100),
  /** Null until the App is installed. */
  installation: Schema.NullOr(Schema.Int.pipe(Schema.positive()))
})
export type AppInstallation = typeof AppInstallation.Type

/** The last failed call of the system. */
export const Trouble = Schema.Struct({
  reason: Text,
  since: Timestamp,
  /** True when the admins were notified of it. */
  isNoticed: Schema.Boolean
})
export type Trouble = typeof Trouble.Type

/** A system that the service acts on for the teams of a workspace. */
export class Connection extends Schema.Class<Connection>("Connection")({
  id: ConnectionId,
  name: ConnectionName,
  kind: ConnectionKind,
  way: ConnectionWay,
  /** Address of its web pages, without a slash at the end. */
  baseUrl: Line(500),
  /** The last part of the address of its webhooks. */
  token: Schema.String.pipe(Schema.pattern(/^[A-Za-z0-9]{32}$/)),
  installation: Schema.NullOr(AppInstallation),
  /** Sealed `Credentials` as JSON. */
  credentials: Schema.String,
  trouble: Schema.NullOr(Trouble),
  /** Permissions that the last test did not find. */
  missing: Schema.Array(Schema.String),
  /** Time of the last test. */
  testedAt: Schema.NullOr(Timestamp),
  createdAt: Timestamp,
  removedAt: Schema.NullOr(Timestamp)
}) {}

/** The secrets of a connection, sealed together. */
export const Credentials = Schema.Struct({
  /** The token, or the private key of the App in PEM. */
  secret: Schema.Redacted(Schema.String),
  /** Key of the signatures of webhooks. */
  webhookSecret: Schema.Redacted(Schema.String)
})
export type Credentials = typeof Credentials.Type

export type ConnectionState = "untested" | "connected" | "incomplete" | "failing"

export const stateOf = ({ missing, testedAt, trouble }: Pick<Connection, "missing" | "testedAt" | "trouble">) =>
  trouble !== null ? "failing" : testedAt === null ? "untested" : missing.length > 0 ? "incomplete" : "connected"

export const githubAddress = "https://github.com"

/** Addresses of the APIs for an address of web pages: github.com, a tenant of ghe.com, or a GitHub Enterprise Server. */
export const apisOf = (baseUrl: string): { readonly rest: string; readonly graphql: string } => {
  const host = parseUrl(baseUrl)?.host ?? ""
  if (host === "github.com" || host.endsWith(".ghe.com")) {
    const api = `https://api.${host}`
    return { rest: api, graphql: `${api}/graphql` }
  }
  return { rest: `${baseUrl}/api/v3`, graphql: `${baseUrl}/api/graphql` }
}

/** A repository as GitHub names it. */
export interface RepositoryName {
  readonly owner: string
  readonly name: string
}

/** Accounts that a company manages have an underscore in their names. */
const steps = /^[/:]?(?<owner>[A-Za-z0-9][A-Za-z0-9_-]*)\/(?<name>[A-Za-z0-9._-]+?)(\.git)?\/?$/

/** The repository behind an address on the host of a connection; null for other addresses. */
export const repositoryOn = (baseUrl: string, address: string): RepositoryName | null => {
  const host = hostOf(address)
  if (host === null || host !== parseUrl(baseUrl)?.host.toLowerCase()) return null
  const path = parseUrl(address)?.pathname ?? address.slice(address.indexOf(":") + 1)
  const { name, owner } = steps.exec(path)?.groups ?? {}
  return owner === undefined || name === undefined || /^\.+$/.test(name) ? null : { owner, name }
}

export class ConnectionNotFound extends Schema.TaggedError<ConnectionNotFound>()("ConnectionNotFound", {
  connection: Schema.String
}) {
  override get message() {
    return `There is no connection '${this.connection}' in this workspace; 'gatehouse connection list' shows them.`
  }
}

export class ConnectionNameTaken extends Schema.TaggedError<ConnectionNameTaken>()("ConnectionNameTaken", {
  connection: Schema.String
}) {
  override get message() {
    return `The workspace has a connection '${this.connection}' already. Remove it first, or choose another name.`
  }
}

export class InvalidConnection extends Schema.TaggedError<InvalidConnection>()("InvalidConnection", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message() {
    return `${this.field} ${this.problem}.`
  }
}
