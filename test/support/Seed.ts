import { DateTime, Effect, Either, Redacted } from "effect"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Import from "../../application/work/Import.ts"
import type { AuditLog } from "../../application/ports/AuditLog.ts"
import type { ImportStore } from "../../application/ports/ImportStore.ts"
import type { TokenStore } from "../../application/ports/TokenStore.ts"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import {
  ApiToken,
  draw,
  expiry,
  hashOf,
  type Lifetime,
  type Permission,
  prefixOf,
  TokenId
} from "../../domain/workspace/ApiToken.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import { answered } from "../../domain/Change.ts"
import { type Email, MemberNotFound } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"

export type Writers = AuditLog | ImportStore | TokenStore | WorkspaceStore

let made = 0

export const ownerEmail = "owner@acme.test" as Email

/** A new workspace for one test, with an owner. */
export const workspace = Effect.suspend(() => {
  const slug = `acme-${process.pid}-${++made}` as WorkspaceSlug
  return Workspaces.create(bySystem, { slug, name: "Acme", owner: { email: ownerEmail, name: "Olga Owner" } })
})

export const token = (
  slug: WorkspaceSlug,
  permissions: readonly [Permission, ...ReadonlyArray<Permission>] = ["read"],
  member: string = ownerEmail,
  lifetime: Lifetime = "30d"
) =>
  Effect.map(
    Tokens.create(bySystem, { workspace: slug, member, name: "test", permissions, lifetime }),
    ({ prefix, token }) => ({ prefix, value: Redacted.value(token) })
  )

/** A token created that many days ago for 30 days, which no use case does. */
export const agedToken = (slug: WorkspaceSlug, days: number) =>
  Effect.gen(function* () {
    const store = yield* WorkspaceStore
    const token = yield* draw
    const hash = yield* hashOf(token)
    yield* store.change(slug, ({ members: [owner], now }) => {
      if (owner === undefined) return Either.left(new MemberNotFound({ email: ownerEmail }))
      const createdAt = DateTime.subtract(now, { days })
      const row = new ApiToken({
        id: TokenId.make(crypto.randomUUID()),
        memberId: owner.id,
        name: "old",
        prefix: prefixOf(token),
        hash,
        permissions: ["read"],
        createdAt,
        expiresAt: expiry(createdAt, "30d"),
        revokedAt: null,
        lastUsedAt: null
      })
      const entity = { type: "token", id: row.id, name: row.name } as const
      return answered({ added: { tokens: [row] }, audit: [Audit.fact(bySystem, "token_created", entity)] }, undefined)
    })
    return Redacted.value(token)
  })

export const load = (slug: WorkspaceSlug, document: unknown) => Import.load(bySystem, slug, document)

/** An audit filter that matches everything. */
export const anyEntry = { team: null, actor: null, event: null, run: null, from: null, to: null }

export const options = [
  { id: "yes", label: "Approve", action: "approve_plan" },
  { id: "no", label: "Reject", action: "reject" }
]

/** One object of every kind. */
export const small = {
  teams: [
    { slug: "payments", name: "Payments", keyPrefix: "PAY", policy: { preset: "standard" } },
    { slug: "web", name: "Web shop", keyPrefix: "WEB", paused: true }
  ],
  services: [{ team: "payments", name: "checkout" }],
  stories: [
    {
      id: "6f1c2d1a-3b4c-4d5e-8f60-718293a4b5c6",
      key: "PAY-1",
      team: "payments",
      title: "Refund in part",
      description: "Why",
      demonstrate: ["Refund 5 of 10"]
    },
    { key: "PAY-2", team: "payments", title: "Pay by invoice", draft: true },
    { key: "WEB-1", team: "web", title: "Wish list" }
  ],
  runs: [
    { key: "run-aaaa", story: "PAY-1", status: "running", stage: "implementing" },
    { key: "run-bbbb", story: "WEB-1" }
  ],
  decisions: [
    { key: "dec-aaaa", kind: "plan_approval", title: "Plan?", recommendation: "yes", options, run: "run-aaaa" },
    {
      key: "dec-bbbb",
      kind: "plan_approval",
      title: "Old",
      recommendation: "yes",
      options,
      team: "web",
      status: "expired"
    }
  ]
}
