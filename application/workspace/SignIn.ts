import { Effect, Option, Redacted, Schedule } from "effect"
import { sha256 } from "../../domain/value/Hashing.ts"
import { cut, oneLine } from "../../domain/value/Text.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import * as ChangeIdentity from "../../domain/workspace/ChangeIdentity.ts"
import { byEmail, MemberNotFound } from "../../domain/workspace/Member.ts"
import { present } from "../../domain/workspace/Roster.ts"
import type { SessionId } from "../../domain/workspace/Session.ts"
import * as SignInAttempts from "../../domain/workspace/SignInAttempts.ts"
import * as SignInLink from "../../domain/workspace/SignInLink.ts"
import { type AddressKey, addressKey } from "../../domain/workspace/SignInReach.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { PublicUrl } from "../oncall/PublicUrl.ts"
import { IdentityStore, type NewLink } from "../ports/identity/IdentityStore.ts"
import { Notifiers } from "../ports/Notifier.ts"
import { WorkspaceStore } from "../ports/WorkspaceStore.ts"

/** The browser of a request. */
export interface Client {
  /** The header `User-Agent`. */
  readonly userAgent: string | null
  readonly address: string
  readonly requestId: string | null
  /** The session token it sent, which a new session replaces. */
  readonly session: Option.Option<Redacted.Redacted>
}

const urlOf = (token: Redacted.Redacted) =>
  Effect.map(PublicUrl, (base) => Redacted.make(`${base}/sign-in/${Redacted.value(token)}`))

/** Draws a link and stores its hash; null if the address is no member. */
const draw = Effect.fnUntraced(function* (link: Omit<NewLink, "hash">) {
  const token = yield* SignInLink.drawSecret("gtl_")
  const hash = yield* sha256(Redacted.value(token))
  const createdAt = yield* (yield* IdentityStore).addLink({ ...link, hash })
  return createdAt && { url: yield* urlOf(token), expiresAt: SignInLink.expiryOf({ createdAt }) }
})

const memberIn = Effect.fnUntraced(function* (input: { readonly workspace: WorkspaceSlug; readonly email: string }) {
  const store = yield* WorkspaceStore
  const { members, workspace } = yield* present(input.workspace, yield* store.roster(input.workspace))
  const member = byEmail(members, input.email)
  if (member === undefined) return yield* new MemberNotFound({ email: input.email })
  return { email: addressKey(member.email), target: { workspace: workspace.id, member: member.id }, workspace }
})

/** A link for the operator to hand over; it opens that workspace only. */
export const makeLink = Effect.fn("SignIn.makeLink")(function* (input: {
  readonly workspace: WorkspaceSlug
  readonly email: string
}) {
  const { email, target } = yield* memberIn(input)
  const made = yield* draw({ email, target, origin: "operator" })
  if (made === null) return yield* new MemberNotFound({ email: input.email })
  return made
})

/** True when people can ask for links by mail. */
export const canMail = Effect.map(Notifiers, ({ mail }) => mail !== null)

const wayToUse = (url: Redacted.Redacted) =>
  `${Redacted.value(url)}\n\nThe link works once, within 15 minutes. Nobody is signed in until you press the button on its page.`

/** Sends in the background, so that the answer takes as long for an unknown address; a mail that is lost is asked for again. */
const send = Effect.fnUntraced(function* (to: AddressKey, subject: string, text: string) {
  const { mail } = yield* Notifiers
  if (mail === null) return
  const id = yield* Uuid.make
  yield* mail.send(Redacted.make(to), { id, subject, text, notice: null }).pipe(
    Effect.retry({ times: 3, schedule: Schedule.exponential("1 second"), while: ({ isFinal }) => !isFinal }),
    Effect.catchAll(({ message }) => Effect.logWarning(`a sign-in link was not mailed: ${message}`)),
    Effect.forkDaemon
  )
})

/** Mails a link to a person who asks for it. Known and unknown addresses get the same answer, after the same statements. */
export const requestLink = Effect.fn("SignIn.requestLink")(function* (input: {
  readonly email: string
  readonly client: Pick<Client, "address">
}) {
  const email = addressKey(input.email)
  const byClient = `request ${input.client.address}`
  const exceeded = yield* (yield* IdentityStore).attempt([
    { key: byClient, most: SignInAttempts.most.requests },
    { key: `mail ${yield* sha256(email)}`, most: SignInAttempts.most.mails }
  ])
  if (exceeded.includes(byClient)) return yield* new SignInAttempts.TooManyAttempts()
  if (exceeded.length > 0 || !(yield* canMail)) return
  const made = yield* draw({ email, target: null, origin: "mail" })
  if (made !== null)
    yield* send(email, "Sign in to Gatehouse", `Sign in to Gatehouse as ${email}:\n\n${wayToUse(made.url)}\n`)
})

/** Mails a link to a member; false while mail is not set up. The mail proves the address. */
export const invite = Effect.fn("SignIn.invite")(function* (input: {
  readonly workspace: WorkspaceSlug
  readonly email: string
  /** Name of the person who invites. */
  readonly from: string
}) {
  if (!(yield* canMail)) return false
  const { email, target, workspace } = yield* memberIn(input)
  const exceeded = yield* (yield* IdentityStore).attempt([
    { key: `mail ${yield* sha256(email)}`, most: SignInAttempts.most.mails }
  ])
  if (exceeded.length > 0) return yield* new SignInAttempts.TooManyAttempts()
  const made = yield* draw({ email, target, origin: "mail" })
  if (made === null) return yield* new MemberNotFound({ email: input.email })
  const from = cut(oneLine(input.from), 80)
  const name = cut(oneLine(workspace.name), 80)
  yield* send(
    email,
    `${from} added you to ${name} on Gatehouse`,
    `${from} added you to the workspace ${name} on Gatehouse. Sign in as ${email}:\n\n${wayToUse(made.url)}\nLater, ask for a new link on the sign-in page.\n`
  )
  return true
})

const hashOfLink = Effect.fnUntraced(function* (token: Redacted.Redacted) {
  const hash = yield* SignInLink.hashOf("gtl_", token)
  return hash ?? (yield* new SignInLink.SignInLinkUnusable({ reason: "unknown" }))
})

/** The person and workspace of a link, without using it: mail scanners open links too. */
export const openLink = Effect.fn("SignIn.openLink")(function* (token: Redacted.Redacted) {
  const hash = yield* hashOfLink(token)
  const { link, memberships } = yield* SignInLink.usable(yield* (yield* IdentityStore).findLink(hash))
  return { email: link.email, ...landing(link, memberships), expiresAt: SignInLink.expiryOf(link) }
})

const landing = ({ target }: SignInLink.SignInLink, memberships: ChangeIdentity.IdentityContext["memberships"]) => {
  const at = memberships.find(({ workspace }) => workspace === target?.workspace) ?? memberships[0]
  return { workspace: at?.workspaceSlug ?? null, workspaceName: at?.workspaceName ?? null }
}

/** A browser for the audit log and the list of sessions. */
const browserOf = Effect.fnUntraced(function* ({ session, ...client }: Client) {
  const before = Option.isSome(session) ? yield* SignInLink.hashOf("gts_", session.value) : null
  return { ...client, before }
})

/** Draws a session and its token; refuses a client with too many attempts. */
export const begin = Effect.fnUntraced(function* (client: Client) {
  const exceeded = yield* (yield* IdentityStore).attempt([
    { key: `sign in ${client.address}`, most: SignInAttempts.most.signIns }
  ])
  if (exceeded.length > 0) return yield* new SignInAttempts.TooManyAttempts()
  const token = yield* SignInLink.drawSecret("gts_")
  const id = (yield* Uuid.make) as SessionId
  return {
    token,
    fresh: { id, hash: yield* sha256(Redacted.value(token)) },
    browser: yield* browserOf(client)
  }
})

/** Uses a link up and signs its person in; of two simultaneous uses one wins. */
export const useLink = Effect.fn("SignIn.useLink")(function* (token: Redacted.Redacted, client: Client) {
  const hash = yield* hashOfLink(token)
  const { browser, fresh, token: session } = yield* begin(client)
  const { link, ...signedIn } = yield* (yield* IdentityStore).change(
    { link: hash },
    ChangeIdentity.useLink(fresh, browser)
  )
  return { token: session, signedIn, workspace: landing(link, signedIn.memberships).workspace }
})
