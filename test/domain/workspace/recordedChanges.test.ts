import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either, Schema } from "effect"
import type { Change, Decided } from "../../../domain/Change.ts"
import { approve, edit, reject, type StoryContext, unbound } from "../../../domain/work/ChangeStory.ts"
import type { RunKey } from "../../../domain/value/RunKey.ts"
import { ApiToken, type TokenId } from "../../../domain/workspace/ApiToken.ts"
import * as ChangeMember from "../../../domain/workspace/ChangeMember.ts"
import { pause, resume, setPolicy } from "../../../domain/workspace/ChangeTeam.ts"
import * as ChangeToken from "../../../domain/workspace/ChangeToken.ts"
import { type Email, Member, type MemberId, NewEmail, type Role } from "../../../domain/workspace/Member.ts"
import type { Roster } from "../../../domain/workspace/Roster.ts"
import { Workspace, type WorkspaceId, type WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { detailsOf, recorded, refusal } from "../Outcome.ts"
import * as Sample from "../Sample.ts"

const { ana, before, now } = Sample
const slug = "acme" as WorkspaceSlug
const id = (digit: number) => `00000000-0000-4000-9000-00000000000${digit}`
const member = (digit: number, name: string, role: Role) => {
  const email = `${name.toLowerCase()}@acme.test` as Email
  return new Member({ id: id(digit) as MemberId, email, name, role, createdAt: before, removedAt: null })
}
const [olga, otto, ada, mika] = [
  member(1, "Olga", "owner"),
  member(2, "Otto", "owner"),
  member(3, "Ada", "admin"),
  member(4, "Mika", "member")
]
const workspace = new Workspace({ id: id(9) as WorkspaceId, slug, name: "Acme", createdAt: before, deletedAt: null })
const roster: Roster = { workspace, members: [olga, otto, ada], now }
const newToken: ChangeToken.NewToken = {
  id: id(5) as TokenId,
  name: "ci",
  prefix: "tk_12345678",
  hash: "0".repeat(64),
  member: ada.email,
  permissions: ["read", "read"],
  lifetime: "30d"
}
const token = new ApiToken({
  id: id(5) as TokenId,
  name: "ci",
  prefix: "tk_12345678",
  hash: "0".repeat(64),
  memberId: ada.id,
  permissions: ["read"],
  createdAt: before,
  expiresAt: DateTime.add(now, { days: 1 }),
  revokedAt: null,
  lastUsedAt: null
})
const team = { now, team: Sample.team() }
const paused = { now, team: Sample.team(null, { pausedAt: before }) }
const draft = (more: object = {}): StoryContext => ({
  ...Sample.raising({ run: null }),
  unfinishedRuns: [],
  freshRun: "run-7777" as RunKey,
  ownership: unbound,
  story: Sample.story("backlog", { draft: true, ...more })
})
const content = {
  title: "Refund all",
  description: "How",
  testPlan: "By hand",
  size: "l",
  complexity: "high",
  classOfService: "expedite",
  demonstrate: ["Pay"],
  acceptanceCriteria: ["It adds up"]
} as const

type Made = Either.Either<Decided<unknown, unknown>, unknown>
const changeOf = (decided: Made): Change => Either.getOrThrow(decided).change
const teamAndDetails = (change: Change) => ({ team: change.audit[0].team, ...detailsOf(change) })

describe("the audit log", () => {
  it.each<readonly [event: string, decide: () => Made, details: object]>([
    [
      "member_added member Mika",
      () => ChangeMember.add(ana, slug, mika)(roster),
      { team: null, after: { email: mika.email, role: "member" } }
    ],
    [
      "member_removed member Ada",
      () => ChangeMember.remove(ana, "admin", slug, ada.email)(roster),
      { team: null, before: { email: ada.email, role: "admin" } }
    ],
    [
      "access_denied member Olga",
      () => ChangeMember.remove(ana, "admin", slug, olga.email)(roster),
      { team: null, operation: "member remove owner" }
    ],
    [
      "token_created token ci",
      () => ChangeToken.create(ana, ada.id, slug, newToken)(roster),
      { team: null, after: { prefix: token.prefix, permissions: ["read"], member: ada.email } }
    ],
    [
      "access_denied member Ada",
      () => ChangeToken.create(ana, olga.id, slug, newToken)(roster),
      { team: null, operation: "token create" }
    ],
    [
      "access_denied member ada@acme.test",
      () => ChangeToken.createWithin(ana, ada.id, slug, { permissions: ["write"], expiresAt: now }, newToken)(roster),
      { team: null, operation: "token create" }
    ],
    [
      "token_revoked token ci",
      () => ChangeToken.revoke(ana, null, "tk_12345678")(token, now),
      { team: null, before: { prefix: token.prefix } }
    ],
    [
      "access_denied token ci",
      () => ChangeToken.revoke(ana, olga.id, "tk_12345678")(token, now),
      { team: null, operation: "token revoke" }
    ],
    ["team_paused team Payments", () => pause(ana)(team), { team: "payments" }],
    ["team_resumed team Payments", () => resume(ana)(paused), { team: "payments" }],
    [
      "policy_changed policy Payments",
      () => setPolicy(ana, { settings: { maxConcurrency: 9 } })(team),
      {
        team: "payments",
        before: { version: 1, maxConcurrency: Sample.policy().maxConcurrency },
        after: { version: 2, maxConcurrency: 9 }
      }
    ],
    [
      "story_changed story Refund in part",
      () => approve(ana, Sample.fresh.job)(draft()),
      { team: "payments", before: { draft: true }, after: { draft: false } }
    ],
    [
      "story_changed story Refund in part",
      () => reject(ana)(draft()),
      { team: "payments", before: { draft: true }, after: { rejected: true } }
    ],
    [
      "story_changed story Refund all",
      () => edit(ana, content)(draft({ readinessScore: 40 })),
      {
        team: "payments",
        before: {
          title: "Refund in part",
          description: "Why",
          testPlan: null,
          size: "m",
          complexity: null,
          classOfService: "standard",
          demonstrate: [],
          acceptanceCriteria: [],
          readinessScore: 40
        },
        after: { ...content, readinessScore: 100 }
      }
    ]
  ])("has %s", (event, decide, details) => {
    const change = changeOf(decide())
    assert.deepStrictEqual(recorded(change), [event])
    assert.deepStrictEqual<object>(teamAndDetails(change), details)
  })

  it("has the whole policy of a team that had none", () => {
    const { after, before: old } = teamAndDetails(
      changeOf(setPolicy(ana, { settings: { maxConcurrency: 9 } })(paused))
    ) as never as Record<string, object>
    assert.isUndefined(old)
    assert.deepInclude(Object(after), { maxConcurrency: 9 })
  })
})

describe("a change writes its row", () => {
  it.each<readonly [string, () => Made, (change: Change) => ReadonlyArray<object> | undefined, object]>([
    [
      "a new member",
      () => ChangeMember.add(ana, slug, mika)(roster),
      ({ added }) => added?.members,
      { id: mika.id, createdAt: now }
    ],
    [
      "a member who leaves",
      () => ChangeMember.remove(ana, null, slug, ada.email)(roster),
      ({ changed }) => changed?.members,
      { id: ada.id, removedAt: now }
    ],
    [
      "the leaver",
      () => ChangeMember.remove(ana, null, slug, ada.email)(roster),
      ({ leaving }) => leaving,
      { id: ada.id, removedAt: null }
    ],
    [
      "a new token",
      () => ChangeToken.create(ana, null, slug, newToken)(roster),
      ({ added }) => added?.tokens,
      { id: token.id, memberId: ada.id }
    ],
    [
      "a revoked token",
      () => ChangeToken.revoke(ana, ada.id, "tk_12345678")(token, now),
      ({ changed }) => changed?.tokens,
      { id: token.id, revokedAt: now }
    ],
    ["a paused team", () => pause(ana)(team), ({ changed }) => changed?.teams, { pausedAt: now }],
    [
      "a team with another policy",
      () => setPolicy(ana, { settings: { maxConcurrency: 9 } })(team),
      ({ changed }) => changed?.teams,
      { updatedAt: now }
    ],
    [
      "an approved draft",
      () => approve(ana, Sample.fresh.job)(draft()),
      ({ changed }) => changed?.stories,
      { draft: false }
    ],
    [
      "its write to the tracker",
      () => approve(ana, Sample.fresh.job)(draft()),
      ({ added }) => added?.jobs,
      { kind: "write_story", payload: { title: "Refund in part" } }
    ],
    ["a rejected draft", () => reject(ana)(draft()), ({ changed }) => changed?.stories, { rejectedAt: now }],
    ["an edited story", () => edit(ana, content)(draft()), ({ changed }) => changed?.stories, { title: "Refund all" }]
  ])("%s", (_, decide, rowsOf, fields) => {
    const rows = rowsOf(changeOf(decide()))
    assert.strictEqual(rows?.length, 1)
    assert.deepInclude(Object(rows?.[0]), fields)
  })
})

describe("a member", () => {
  it.each([
    ["an admin", ada.email, "admin", null],
    ["an owner", olga.email, "owner", null],
    ["an owner", olga.email, "admin", "OwnerRequired"],
    ["an owner", olga.email, null, null]
  ] as const)("who is %s (%s) is removed by %s: %s", (_, email, by, tag) =>
    assert.strictEqual(refusal(ChangeMember.remove(ana, by, slug, email)(roster)), tag)
  )

  it.each([
    ["ana@acme.test", true],
    ["ana\u200b@acme.test", false],
    ["ana\u0007@acme.test", false]
  ])("has an address without hidden characters: %j", (text, expected) =>
    assert.strictEqual(Schema.is(NewEmail)(text), expected)
  )
})
