import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Members from "../../application/workspace/Members.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { Permission } from "../../domain/workspace/ApiToken.ts"
import { Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { isLong } from "../support/Long.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import * as Json from "../../application/ports/Json.ts"
import { ask, start, type World } from "../support/World.ts"
import { document, type Route, routes } from "../http/routes.ts"

/** Routes that take a token; every resolution uses a new decision. */
const table = routes.filter(({ isOpen }) => !isOpen)

type Permissions = readonly [Permission, ...ReadonlyArray<Permission>]

/** Every set of permissions a token may have. */
const all = Array.from({ length: 2 ** Permission.literals.length - 1 }, (_, bits) =>
  Permission.literals.filter((_, place) => ((bits + 1) >> place) & 1)
) as unknown as ReadonlyArray<Permissions>

const sets = all.filter((held) => isLong || held.length === 1)

const expected = ({ adminsOnly, method }: Route, role: Role, held: Permissions) => {
  const needs = method === "GET" ? "read" : "write"
  if (!held.includes(needs) && !held.includes("admin")) return "403 insufficient_permission"
  return adminsOnly !== undefined && role === "member" ? "403 admin_required" : "200"
}

const keys = (letters: string, count: number) =>
  Array.from({ length: count }, (_, index) => `dec-${letters}${String(index).padStart(2, "0")}`)

const question = {
  kind: "plan_approval",
  title: "?",
  recommendation: "yes",
  options: Seed.options,
  team: "payments"
}

describe("rights over HTTP", () => {
  let world: World
  let mine: { readonly id: WorkspaceId; readonly slug: WorkspaceSlug }
  const letters: Record<Role, string> = { member: "m", admin: "a", owner: "w" }
  const forAnyone = Object.fromEntries(Role.literals.map((role) => [role, keys(`c${letters[role]}`, sets.length)]))
  const authorities = Role.literals.map((authority) => ({ authority, asked: keys(`d${letters[authority]}`, 3) }))

  beforeAll(async () => {
    world = await start(Memory.layer)
    mine = await world.run(Seed.workspace)
    const decisions = [
      ...Object.values(forAnyone)
        .flat()
        .map((key) => ({ ...question, key })),
      ...authorities.flatMap(({ asked, authority }) => asked.map((key) => ({ ...question, key, authority })))
    ]
    await world.run(Seed.load(mine.slug, { ...document, decisions: [...document.decisions, ...decisions] }))
    for (const role of ["member", "admin"] as const) {
      const person = { workspace: mine.slug, email: People.emailOf(role), name: role, role }
      await world.run(Members.add(bySystem, person))
    }
  })
  afterAll(() => world?.close())

  const tokenOf = async (role: Role, held: Permissions) =>
    (await world.run(Seed.token(mine.slug, held, People.emailOf(role)))).value

  const denials = () =>
    world.run(
      Effect.gen(function* () {
        const filter = { ...Seed.anyEntry, event: "access_denied" as const }
        const { items } = yield* (yield* AuditLog).page(mine.id, filter, { limit: 1000, before: null })
        return Json.each(items)
          .toReversed()
          .map((item) => {
            const { actor, details, entity, result } = JSON.parse(item)
            return [actor.name, entity.type, result, details.operation].join(", ")
          })
      })
    )

  const resolve = (key: string, token: string) =>
    ask(world.url, `/v1/decisions/${key}/resolve`, { method: "POST", token, body: JSON.stringify({ optionId: "yes" }) })

  const said = ({ body, status }: Awaited<ReturnType<typeof ask>>) =>
    status === 200 ? "200" : `${status} ${body.error.code}`

  describe.each(Role.literals)("with a token of the %s", (role) => {
    it.each(sets.map((held, index) => ({ may: held.join(" "), held, index })))(
      "that may $may",
      async ({ held, index }) => {
        const token = await tokenOf(role, held)
        const before = await denials()
        const denied: Array<string> = []
        for (const route of table) {
          const wanted = expected(route, role, held)
          if (wanted === "403 admin_required") denied.push([role, "workspace", "denied", route.adminsOnly].join(", "))
          const key = forAnyone[role]?.[index] ?? ""
          const answer = await (route.method === "POST" ? resolve(key, token) : ask(world.url, route.path, { token }))
          assert.strictEqual(said(answer), wanted, route.name)
        }
        assert.deepStrictEqual((await denials()).slice(before.length), denied)
      }
    )
  })

  it("the permission admin makes no admin of a member", async () => {
    const token = await tokenOf("member", ["admin"])
    assert.strictEqual(said(await ask(world.url, "/v1/audit", { token })), "403 admin_required")
    assert.strictEqual(said(await ask(world.url, "/v1/teams", { token })), "200")
  })

  it.each(authorities)("a decision for $authority is answered by nobody below", async ({ asked, authority }) => {
    for (const [index, role] of Role.literals.entries()) {
      const key = asked[index] ?? ""
      const before = await denials()
      const may = Role.literals.indexOf(role) >= Role.literals.indexOf(authority)
      const answer = await resolve(key, await tokenOf(role, ["write"]))
      assert.strictEqual(said(answer), may ? "200" : "403 insufficient_authority")
      const denied = [role, "decision", "denied", "decision answer"].join(", ")
      assert.deepStrictEqual((await denials()).slice(before.length), may ? [] : [denied])
      const { body } = await ask(world.url, `/v1/decisions/${key}`, { token: await tokenOf("owner", ["read"]) })
      assert.strictEqual(body.status, may ? "resolved" : "pending")
    }
  })
})
