import { DateTime, Either } from "effect"
import { answered, type Decided } from "../Change.ts"
import { difference } from "../value/FieldChanges.ts"
import { skipValidation } from "../value/SkipValidation.ts"
import { Notification, type NotificationId } from "../oncall/InboxEntry.ts"
import { cut, oneLine, parseUrl, withoutSlashes } from "../value/Text.ts"
import { format } from "../value/Timestamp.ts"
import type { MemberId } from "../workspace/Member.ts"
import { validated } from "../value/Validated.ts"
import type { By } from "../workspace/Actor.ts"
import * as Audit from "../workspace/Audit.ts"
import {
  Connection,
  ConnectionNameTaken,
  ConnectionNotFound,
  InvalidConnection,
  stateOf,
  type Trouble
} from "./Connection.ts"

/** The connections of a workspace, without removed ones. */
export interface Connections {
  readonly now: DateTime.Utc
  readonly connections: ReadonlyArray<Connection>
  /** Admins and owners. */
  readonly admins: ReadonlyArray<MemberId>
}

/** Fields for the audit log: never a secret. */
const audited = (connection: Connection) => ({
  name: connection.name,
  kind: connection.kind,
  way: connection.way,
  baseUrl: connection.baseUrl,
  ...connection.installation,
  state: stateOf(connection),
  missing: connection.missing,
  trouble: connection.trouble?.reason ?? null
})

const fact = (by: By, before: Connection | null, after: Connection | null) => {
  const details = difference(before && audited(before), after && audited(after))
  const { id, name } = (after ?? before) as Connection
  return Audit.fact(by, "connection_changed", { type: "connection", id, name }, { details })
}

export const named = (connections: ReadonlyArray<Connection>, name: string): Connection | undefined =>
  connections.find((one) => one.id === name.toLowerCase()) ?? connections.find((one) => one.name === name)

export const found = (
  connections: ReadonlyArray<Connection>,
  name: string
): Either.Either<Connection, ConnectionNotFound> =>
  Either.fromNullable(named(connections, name), () => new ConnectionNotFound({ connection: name }))

const addressProblem = (address: string): string | null => {
  const url = parseUrl(address)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:") || url.hostname === "")
    return "must be an address such as https://github.com"
  if (url.username !== "" || url.password !== "") return "must not hold credentials"
  if (url.search !== "" || url.hash !== "") return "must not hold ? or #"
  return null
}

export type NewConnection = Pick<
  Connection,
  "id" | "name" | "kind" | "way" | "baseUrl" | "token" | "installation" | "credentials"
>

type CreateRefusal = ConnectionNameTaken | InvalidConnection

/** Adds a connection; its credentials are sealed already. */
export const create =
  (by: By, input: NewConnection) =>
  ({ connections, now }: Connections): Either.Either<Decided<Connection>, CreateRefusal> =>
    Either.gen(function* () {
      const problem = addressProblem(input.baseUrl)
      if (problem !== null) return yield* Either.left(new InvalidConnection({ field: "The base address", problem }))
      if ((input.way === "app") !== (input.installation !== null))
        return yield* Either.left(
          new InvalidConnection({ field: "A connection by an App", problem: "needs the App and its installation" })
        )
      if (connections.some(({ name }) => name === input.name))
        return yield* Either.left(new ConnectionNameTaken({ connection: input.name }))
      const connection = yield* validated(
        () =>
          new Connection({
            ...input,
            baseUrl: withoutSlashes(input.baseUrl),
            trouble: null,
            missing: [],
            testedAt: null,
            createdAt: now,
            removedAt: null
          }),
        (field, text) => new InvalidConnection({ field, problem: text })
      )
      return yield* answered({ added: { connections: [connection] }, audit: [fact(by, null, connection)] }, connection)
    })

/** Removes a connection with its secrets; the row stays for the audit log. */
export const remove =
  (by: By, name: string) =>
  ({ connections, now }: Connections): Either.Either<Decided<Connection>, ConnectionNotFound> =>
    Either.flatMap(found(connections, name), (before) => {
      const after = new Connection({ ...before, credentials: "", removedAt: now }, skipValidation)
      return answered({ changed: { connections: [after] }, audit: [fact(by, before, null)] }, after)
    })

/** Replaces the secret of a connection, which keeps its id and its webhooks; the trouble of the old one is over. */
export const renew =
  (by: By, name: string, { credentials, way }: Pick<Connection, "credentials" | "way">) =>
  ({ connections }: Connections): Either.Either<Decided<Connection>, ConnectionNotFound | InvalidConnection> =>
    Either.gen(function* () {
      const before = yield* found(connections, name)
      if (before.way !== way)
        return yield* Either.left(
          new InvalidConnection({
            field: `The connection '${before.name}'`,
            problem: before.way === "app" ? "needs the private key of its App" : "needs a token"
          })
        )
      const after = new Connection(
        { ...before, credentials, trouble: null, missing: [], testedAt: null },
        skipValidation
      )
      const details = difference({ ...audited(before), secret: "former" }, { ...audited(after), secret: "renewed" })
      return yield* answered(
        {
          changed: { connections: [after] },
          audit: [
            Audit.fact(by, "connection_changed", { type: "connection", id: after.id, name: after.name }, { details })
          ]
        },
        after
      )
    })

/** Result of a call or a test of a connection. */
export interface Outcome {
  /** Null when it worked. */
  readonly problem: string | null
  /** Permissions that it lacks; undefined when they were not looked at. */
  readonly missing?: ReadonlyArray<string>
  /** The installation that a test found. */
  readonly installation?: number
}

/** Minutes that a connection does not work before its admins are notified. */
const patience = 15

const noticeOf = (
  connection: Connection,
  { reason, since }: Trouble,
  admins: ReadonlyArray<MemberId>,
  ids: ReadonlyArray<NotificationId>,
  now: DateTime.Utc
): ReadonlyArray<Notification> =>
  admins.flatMap((member, index) => {
    const id = ids[index]
    if (id === undefined) return []
    const subject = `The connection '${oneLine(connection.name)}' has not worked since ${format(since)}`
    const text = [
      `${subject}.`,
      reason,
      "Jobs wait until it works again. Test it with 'gatehouse connection test'."
    ].join("\n")
    const fields = { id, member, incident: null, event: "connection_failing" as const, subject, text }
    return [new Notification({ ...fields, createdAt: now, readAt: null }, skipValidation)]
  })

/**
 * Keeps the outcome of a call; the same outcome again changes nothing. A trouble keeps its start, and the admins are
 * notified once when it lasts.
 */
export const observe =
  (by: By, id: string, { installation, missing, problem }: Outcome, ids: ReadonlyArray<NotificationId> = []) =>
  ({ admins, connections, now }: Connections): Either.Either<Decided<Connection>, Connection | ConnectionNotFound> =>
    Either.flatMap(found(connections, id), (before) => {
      const reason = problem === null ? null : cut(problem, 500)
      const since = before.trouble?.since ?? now
      const isLasting = DateTime.greaterThanOrEqualTo(now, DateTime.add(since, { minutes: patience }))
      const isNoticed = before.trouble?.isNoticed ?? false
      const trouble = reason === null ? null : { reason, since, isNoticed: isNoticed || isLasting }
      const notifications =
        trouble !== null && isLasting && !isNoticed ? noticeOf(before, trouble, admins, ids, now) : []
      const isTest = missing !== undefined
      const after = new Connection(
        {
          ...before,
          trouble,
          installation:
            before.installation === null || installation === undefined
              ? before.installation
              : { ...before.installation, installation },
          missing: missing === undefined ? before.missing : missing.toSorted(),
          testedAt: isTest ? now : before.testedAt
        },
        skipValidation
      )
      const isSame = JSON.stringify(audited(after)) === JSON.stringify(audited(before))
      if (isSame && !isTest && notifications.length === 0) return Either.left(before)
      return answered(
        {
          added: { notifications },
          changed: { connections: [after] },
          audit: [fact(by, before, after)]
        },
        after
      )
    })
