import { DateTime, Effect, Either, Layer } from "effect"
import { type Identified, IdentityStore } from "../../application/ports/identity/IdentityStore.ts"
import { Origin } from "../../application/workspace/RequestOrigin.ts"
import type { IdentityChange, IdentityContext } from "../../domain/workspace/ChangeIdentity.ts"
import type { ProviderIdentity } from "../../domain/workspace/openid/ProviderIdentity.ts"
import { isOver, needsTouch, Session } from "../../domain/workspace/Session.ts"
import { windowMinutes } from "../../domain/workspace/SignInAttempts.ts"
import { expiryOf, SignInLink } from "../../domain/workspace/SignInLink.ts"
import { membershipsOf, record, State } from "./MemoryState.ts"

type Tenants = typeof State.Service

const contextOf = (state: Tenants, of: Identified, now: DateTime.Utc): IdentityContext => {
  const { identities, links, passkeys, sessions } = state.identity
  const link = "link" in of ? (links.get(of.link) ?? null) : null
  const email = "email" in of ? of.email : link?.email
  return {
    now,
    link,
    memberships: email === undefined ? [] : membershipsOf(state, email),
    sessions: [...sessions.values()].filter((one) => one.email === email),
    passkeys: [...passkeys.values()].filter((one) => one.email === email),
    identities: [...identities.values()].filter((one) => one.email === email)
  }
}

const accountKey = ({ issuer, subject }: Pick<ProviderIdentity, "issuer" | "subject">) =>
  JSON.stringify([issuer, subject])

const write = ({ identity: { identities, links, passkeys, sessions } }: Tenants, change: IdentityChange) => {
  const { ended = [], identity, link, passkey, removedPasskey, replaced, session } = change
  for (const one of sessions.values()) if (ended.includes(one.id) || one.hash === replaced) sessions.delete(one.hash)
  if (link) links.set(link.hash, link)
  if (session) sessions.set(session.hash, session)
  if (passkey && (passkeys.get(passkey.id)?.email ?? passkey.email) === passkey.email) passkeys.set(passkey.id, passkey)
  if (removedPasskey) passkeys.delete(removedPasskey)
  if (identity && (identities.get(accountKey(identity))?.email ?? identity.email) === identity.email)
    identities.set(accountKey(identity), identity)
}

const windowOf = DateTime.add({ minutes: windowMinutes })

export const layer = Layer.effect(
  IdentityStore,
  Effect.map(State, (state) => {
    const { attempts, challenges, identities, links, passkeys, sessions } = state.identity
    return IdentityStore.of({
      addLink: (link) =>
        Effect.map(DateTime.now, (createdAt) => {
          const isMember = membershipsOf(state, link.email).some(
            ({ member, workspace }) =>
              link.target === null || (link.target.workspace === workspace && link.target.member === member.id)
          )
          if (!isMember) return null
          links.set(link.hash, new SignInLink({ ...link, createdAt, usedAt: null }))
          return createdAt
        }),
      findLink: (hash) => Effect.map(DateTime.now, (now) => contextOf(state, { link: hash }, now)),
      findSession: (hash) =>
        Effect.map(DateTime.now, (now) => {
          const session = sessions.get(hash)
          if (session === undefined) return null
          if (needsTouch(session, now) && !isOver(session, now))
            sessions.set(hash, new Session({ ...session, lastSeenAt: now }))
          return { session, memberships: membershipsOf(state, session.email), now }
        }),
      endedOf: (asked) =>
        Effect.map(DateTime.now, (now) => {
          const open = new Set([...sessions.values()].flatMap((one) => (isOver(one, now) ? [] : [one.id])))
          return asked.filter((id) => !open.has(id))
        }),
      look: (email) => Effect.map(DateTime.now, (now) => contextOf(state, { email }, now)),
      change: (of, decide) =>
        Effect.flatMap(Effect.zip(DateTime.now, Origin), ([now, origin]) =>
          Effect.suspend(() =>
            Either.map(decide(contextOf(state, of, now)), ({ answer, change }) => {
              write(state, change)
              for (const { fact, workspace } of change.audit) {
                const tenant = state.get(workspace)
                if (tenant !== undefined) record(tenant, now, [fact], origin)
              }
              return answer
            })
          )
        ),
      findPasskey: (id) => Effect.sync(() => passkeys.get(id) ?? null),
      findIdentity: (account) => Effect.sync(() => identities.get(accountKey(account)) ?? null),
      addChallenge: (challenge) =>
        Effect.map(DateTime.now, (createdAt) => void challenges.set(challenge.hash, { ...challenge, createdAt })),
      takeChallenge: (hash) =>
        Effect.map(DateTime.now, (now) => {
          const challenge = challenges.get(hash)
          challenges.delete(hash)
          return challenge === undefined ? null : { challenge, now }
        }),
      attempt: (all) =>
        Effect.map(DateTime.now, (now) =>
          all
            .filter(({ key, most }) => {
              const open = attempts.get(key)
              const window =
                open === undefined || DateTime.greaterThanOrEqualTo(now, windowOf(open.startedAt))
                  ? { startedAt: now, count: 0 }
                  : open
              window.count++
              attempts.set(key, window)
              return window.count > most
            })
            .map(({ key }) => key)
        ),
      purge: Effect.map(DateTime.now, (now) => {
        const before = DateTime.subtract(now, { days: 1 })
        for (const link of links.values()) if (DateTime.lessThan(expiryOf(link), before)) links.delete(link.hash)
        for (const session of sessions.values()) if (isOver(session, now)) sessions.delete(session.hash)
        for (const one of challenges.values()) if (DateTime.lessThan(one.createdAt, before)) challenges.delete(one.hash)
        for (const [key, { startedAt }] of attempts) if (DateTime.lessThan(startedAt, before)) attempts.delete(key)
      })
    })
  })
)
