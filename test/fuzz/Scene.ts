import { Effect, Redacted } from "effect"
import demo from "../../adapters/cli/demo.json" with { type: "json" }
import * as Members from "../../application/workspace/Members.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { Permission } from "../../domain/workspace/ApiToken.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import { PostingKind } from "../../domain/oncall/SignalSource.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { reads } from "../http/routes.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { ask, type World } from "../support/World.ts"
import * as Neighbour from "./Neighbour.ts"
import * as RunnerWire from "./RunnerWire.ts"

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const digits = (index: number) => [32 ** 2, 32, 1].map((place) => alphabet[Math.floor(index / place) % 32]).join("")

const past = "2026-01-02T03:04:05.678Z"
const planned = {
  kind: "plan_approval",
  title: "Plan?",
  recommendation: "yes",
  options: Seed.options,
  team: "payments"
}
const resolved = {
  status: "resolved",
  resolution: { optionId: "no", note: null },
  resolvedVia: "app",
  resolvedAt: past
}

/** Decisions in every state, and enough pending ones for the fuzzer to hit. */
const decisions = (pending: number) => [
  { ...planned, key: "dec-aaaa" },
  { ...planned, key: "dec-wner", authority: "owner" },
  { ...planned, key: "dec-d0ne", ...resolved },
  { ...planned, key: "dec-1ate", createdAt: past, expiresAt: past },
  { ...planned, key: "dec-cncd", status: "cancelled" },
  { ...planned, key: "dec-sprs", status: "superseded" },
  ...Array.from({ length: pending }, (_, index) => ({ ...planned, key: `dec-z${digits(index)}` }))
]

/** A source of each posting kind, with the proof of its posts. */
const sourcesOf = (slug: Parameters<typeof People.person>[0]) =>
  Effect.gen(function* () {
    const owner = yield* People.person(slug)
    yield* Services.create(owner, { team: "payments" as TeamSlug, name: "checkout" })
    return yield* Effect.forEach(PostingKind.literals, (kind) =>
      Effect.map(
        Sources.create(owner, { name: kind, kind, services: ["checkout"], secret: null, isTimestampRequired: false }),
        ({ secret, source }) => ({ kind, token: source.token, secret: Redacted.value(secret) })
      )
    )
  })

type Permissions = readonly [Permission, ...ReadonlyArray<Permission>]

/** Valid tokens of several members, and some invalid ones. */
const tokensOf = (slug: Parameters<typeof People.person>[0], each: number) =>
  Effect.gen(function* () {
    const mint = (role: Role, permissions: Permissions) =>
      Effect.map(Seed.token(slug, permissions, People.emailOf(role)), ({ value }) => value)
    for (const role of ["admin", "member"] as const) yield* People.person(slug, role)
    const kinds: ReadonlyArray<readonly [Role, Permissions]> = [
      ["owner", ["read", "write"]],
      ["admin", ["admin"]],
      ["member", ["read", "write"]],
      ["owner", ["read"]],
      ["member", ["write"]],
      ["admin", ["delete"]]
    ]
    const valid = yield* Effect.forEach(kinds, ([role, permissions]) =>
      Effect.forEach(Array.from({ length: each }), () => mint(role, permissions))
    )
    const revoked = yield* Seed.token(slug)
    yield* Tokens.revoke(bySystem, { workspace: slug, prefix: revoked.prefix })
    const gone = {
      workspace: slug,
      email: "gone@acme.test" as typeof Seed.ownerEmail,
      name: "Gone",
      role: "member"
    } as const
    yield* Members.add(bySystem, gone)
    const left = yield* Seed.token(slug, ["admin"], gone.email)
    yield* Members.remove(bySystem, gone)
    return {
      valid,
      /** Used up for this minute. */
      spent: yield* mint("owner", ["read", "write"]),
      /** For reading the service, never for the fuzzer. */
      own: yield* mint("owner", ["read"]),
      invalid: [revoked.value, left.value, yield* Seed.agedToken(slug, 31), `tk_${"x".repeat(32)}`]
    }
  })

interface Size {
  readonly tokens: number
  readonly pending: number
}

/** A workspace with one object of every kind, and another one whose texts all hold a marker. */
export const arrange = async (world: World, { pending, tokens: each }: Size) => {
  const { id, slug } = await world.run(Seed.workspace)
  await world.run(Seed.load(slug, demo))
  await world.run(Seed.load(slug, { decisions: decisions(pending) }))
  const sources = await world.run(sourcesOf(slug))
  const tokens = await world.run(tokensOf(slug, each))
  const neighbour = await world.run(Neighbour.settle)
  const runners = await RunnerWire.arrange(world, slug, 20)

  await Promise.all(Array.from({ length: 120 }, () => ask(world.url, "/v1/teams", { token: tokens.spent })))
  const read = async (path: string) => (await ask(world.url, path, { token: tokens.own })).body
  const lists = [
    ...reads.filter(({ isPaged }) => isPaged).map((route) => route.path),
    "/v1/decisions?status=pending&team=payments",
    "/v1/audit?actor=system&from=2020-01-01"
  ]
  const pages = (
    await Promise.all(
      lists.map(async (list) => ({
        list,
        cursor: (await read(`${list}${list.includes("?") ? "&" : "?"}limit=3`)).nextCursor as string | null
      }))
    )
  ).flatMap(({ cursor, list }) => (cursor === null ? [] : [{ cursor, list }]))
  const teams: ReadonlyArray<{ readonly id: string; readonly slug: string }> = (await read("/v1/teams")).data
  return {
    workspace: id,
    neighbour,
    runners,
    tokens,
    sources,
    pages,
    /** By the names of path parameters. */
    keys: {
      team: teams.map((team) => team.slug),
      board: teams.map((team) => team.id),
      story: ["PAY-1", "pay-2", "WEB-1", "PLAT-1"],
      run: ["run-7f3k", "run-2hq9", "RUN-S7NJ"],
      decision: decisions(pending).map(({ key }) => key),
      source: [...sources.map(({ token }) => token), neighbour.source]
    } as Readonly<Record<string, ReadonlyArray<string>>>,
    /** Also the addresses of sources, which are half of a secret. */
    secrets: [...sources.flatMap(({ secret, token }) => [secret, token]), neighbour.source, ...neighbour.secrets]
  }
}

export type Scene = Awaited<ReturnType<typeof arrange>>
