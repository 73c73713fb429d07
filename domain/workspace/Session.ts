import { Array, DateTime, Either, Option, Schema } from "effect"
import { cut, oneLine } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { AddressKey, type Membership, type Memberships, SignInReach, within } from "./SignInReach.ts"
import { WorkspaceNotFound } from "./Workspace.ts"

export const SessionId = Schema.UUID.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

export const SignInMethod = Schema.Literal("link", "passkey", "openid")
export type SignInMethod = typeof SignInMethod.Type

/** A browser that is signed in; only the hash of its token is stored. */
export class Session extends Schema.Class<Session>("Session")({
  id: SessionId,
  hash: Schema.String,
  email: AddressKey,
  reach: SignInReach,
  method: SignInMethod,
  createdAt: Timestamp,
  lastSeenAt: Timestamp,
  /** Browser and system, such as "Firefox on Linux". */
  userAgent: Schema.String,
  address: Schema.String
}) {}

export const idleHours = 12
export const mostDays = 30
/** The last use is written at most this often. */
export const touchSeconds = 60

/** A session ends when it rests too long, and at the latest after its longest life. */
export const endOf = ({ createdAt, lastSeenAt }: Pick<Session, "createdAt" | "lastSeenAt">): DateTime.Utc =>
  DateTime.min(DateTime.add(lastSeenAt, { hours: idleHours }), DateTime.add(createdAt, { days: mostDays }))

export const isOver = (session: Pick<Session, "createdAt" | "lastSeenAt">, now: DateTime.Utc): boolean =>
  DateTime.greaterThanOrEqualTo(now, endOf(session))

export const needsTouch = ({ lastSeenAt }: Pick<Session, "lastSeenAt">, now: DateTime.Utc): boolean =>
  DateTime.greaterThanOrEqualTo(now, DateTime.add(lastSeenAt, { seconds: touchSeconds }))

const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"]
] as const

const systems = [
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"]
] as const

const firstOf = (names: ReadonlyArray<readonly [RegExp, string]>, text: string) =>
  names.find(([sign]) => sign.test(text))?.[1]

/** Names browser and system for the list of sessions. */
export const describeAgent = (header: string | null): string => {
  const text = cut(oneLine(header ?? "").trim(), 400)
  const browser = firstOf(browsers, text)
  const system = firstOf(systems, text)
  if (browser === undefined) return text === "" ? "Unknown browser" : cut(text, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}

/** The way back is always to sign in. */
export class SignInRequired extends Schema.TaggedError<SignInRequired>()("SignInRequired", {
  reason: Schema.Literal("missing", "unknown", "expired", "not_a_member")
}) {
  override get message() {
    switch (this.reason) {
      case "missing":
        return "Sign in to see this page."
      case "unknown":
        return "You were signed out. Sign in again."
      case "expired":
        return `You were signed out: a session ends after ${idleHours} hours without use, and after ${mostDays} days. Sign in again.`
      case "not_a_member":
        return "You are not a member of a workspace any more. Ask an admin of the workspace."
    }
  }
}

export class SessionNotFound extends Schema.TaggedError<SessionNotFound>()("SessionNotFound", { id: Schema.String }) {
  override get message() {
    return "You have no such session; it may have ended already."
  }
}

/** A session with the memberships of its address. */
export interface FoundSession {
  readonly session: Session
  readonly memberships: ReadonlyArray<Membership>
  readonly now: DateTime.Utc
}

/** A valid session with the workspaces it opens. */
export interface SignedIn {
  readonly session: Session
  readonly memberships: Memberships
  readonly now: DateTime.Utc
}

export const valid = (found: FoundSession | null): Either.Either<SignedIn, SignInRequired> => {
  if (found === null) return Either.left(new SignInRequired({ reason: "unknown" }))
  const { memberships, now, session } = found
  if (isOver(session, now)) return Either.left(new SignInRequired({ reason: "expired" }))
  const opened = within(session.reach, memberships)
  return Array.isNonEmptyReadonlyArray(opened)
    ? Either.right({ session, memberships: opened, now })
    : Either.left(new SignInRequired({ reason: "not_a_member" }))
}

/** The membership by which a session opens a workspace; another workspace is as if it did not exist. */
export const membershipIn = (
  { memberships }: Pick<SignedIn, "memberships">,
  slug: string
): Either.Either<Membership, WorkspaceNotFound> =>
  Either.fromOption(
    Option.fromNullable(memberships.find(({ workspaceSlug }) => workspaceSlug === slug)),
    () => new WorkspaceNotFound({ slug })
  )
