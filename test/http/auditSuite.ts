import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bySystem } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Members from "../../application/workspace/Members.ts"
import type { Permission } from "../../domain/workspace/ApiToken.ts"
import type { Email, Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import { ask, type World } from "../support/World.ts"

const team = { slug: "t", name: "T", keyPrefix: "T" }

/** The audit log as owners and admins read it. */
export const auditSuite = (name: string, open: () => Promise<World>) =>
  describe(`the audit log over HTTP (${name})`, () => {
    let world: World
    beforeAll(async () => {
      world = await open()
    })
    afterAll(() => world.close())

    const get = (path: string, token: string) => ask(world.url, path, { token })
    const workspace = async (document: object = Seed.small) => {
      const { slug } = await world.run(Seed.workspace)
      await world.run(Seed.load(slug, document))
      return { slug, token: (await world.run(Seed.token(slug))).value }
    }
    const tokenOf = (slug: WorkspaceSlug, role: Role, permissions: readonly [Permission]) =>
      Effect.gen(function* () {
        const email = `${role}-${crypto.randomUUID()}@acme.test` as Email
        yield* Members.add(bySystem, { workspace: slug, email, name: `A ${role}`, role })
        return (yield* Seed.token(slug, permissions, email)).value
      })

    it("is for owners and admins; a member is refused, whatever the token may, and that is on record", async () => {
      const { slug, token } = await workspace()
      assert.strictEqual((await get("/v1/audit", await world.run(tokenOf(slug, "admin", ["read"])))).status, 200)
      for (const path of ["/v1/audit", "/v1/audit/export", "/v1/audit?limit=0"]) {
        const answer = await get(path, await world.run(tokenOf(slug, "member", ["admin"])))
        assert.deepStrictEqual([answer.status, answer.body.error.code], [403, "admin_required"])
      }
      const { body } = await get("/v1/audit?event=access_denied", token)
      assert.strictEqual(body.data.length, 3)
      const [{ actor, details, entity, result }] = body.data
      assert.deepStrictEqual(
        [actor.type, actor.name, result, details.operation, entity.type, entity.name],
        ["human", "A member", "denied", "audit read", "workspace", slug]
      )
    })

    it("takes the filters of the contract", async () => {
      const { token } = await workspace()
      const events = async (query: string) =>
        (await get(`/v1/audit?${query}`, token)).body.data.map((entry: { event: string }) => entry.event)
      assert.deepStrictEqual(await events("event=Story+moved&team=payments"), ["story_moved", "story_moved"])
      assert.deepStrictEqual(await events("run=RUN-AAAA"), ["decision_raised", "run_state_changed"])
      assert.deepStrictEqual(await events("actor=the%20service"), [])
      assert.deepStrictEqual(await events("event=workspace_created&actor=system"), ["workspace_created"])
      assert.strictEqual((await get("/v1/audit?team=nobody", token)).body.error.code, "team_not_found")
    })

    it("a day is a UTC day, and meant whole", async () => {
      const { token } = await workspace()
      const { body } = await get("/v1/audit?limit=1", token)
      const at: string = body.data[0].timestamp
      const day = at.slice(0, 10)
      const count = async (query: string) => (await get(`/v1/audit?limit=100&${query}`, token)).body.data.length
      const all = await count("")
      assert.strictEqual(await count(`from=${day}&to=${day}`), all)
      assert.strictEqual(await count("to=2000-02-29"), 0)
      assert.strictEqual(await count("from=2999-01-01"), 0)
      assert.isAbove(await count(`from=${at}&to=${at}`), 0)
      assert.strictEqual(await count(`from=${at.slice(0, 23)}%2B00:00&to=${at}`), await count(`from=${at}&to=${at}`))
    })

    it("an export holds exactly what the filtered read returns, and is recorded after it", async () => {
      const { slug, token } = await workspace()
      const { body: read } = await get("/v1/audit?team=payments&limit=100", token)
      const file = await get("/v1/audit/export?team=payments", token)
      assert.deepStrictEqual(file.body, read.data)
      assert.strictEqual(file.headers["x-service-export-count"], String(read.data.length))
      assert.isUndefined(file.headers["x-service-export-truncated"])
      assert.match(
        file.headers["content-disposition"] ?? "",
        new RegExp(`^attachment; filename="audit-${slug}-start-\\d{4}-\\d\\d-\\d\\d.json"$`)
      )
      const { body } = await get("/v1/audit?limit=1", token)
      assert.deepStrictEqual([body.data[0].event, body.data[0].actor.type], ["audit_exported", "human"])
      const { count, filters, format, from, to, truncated } = body.data[0].details
      assert.deepStrictEqual(
        { count, filters, format, from, to, truncated },
        {
          count: read.data.length,
          filters: { team: "payments" },
          format: "json",
          from: null,
          to: null,
          truncated: false
        }
      )
    })

    it("a CSV export is a spreadsheet's, and calculates nothing", async () => {
      const formula = '=HYPERLINK("http://evil.test","x")'
      const { token } = await workspace({ teams: [{ ...team, name: formula }] })
      const file = await get("/v1/audit/export?format=csv&event=team_created&from=2026-01-01", token)
      assert.strictEqual(file.headers["content-type"], "text/csv; charset=utf-8")
      const [header, row, end] = file.text.split("\r\n")
      assert.strictEqual(
        header,
        "id,timestamp,event,result,actor_type,actor_name,actor_user_id,team,run_key,entity_type,entity_id,entity_name,details"
      )
      assert.include(row, `,"'=HYPERLINK(""http://evil.test"",""x"")",`)
      assert.strictEqual(end, "")
    })

    const fullLog = async () => {
      const { id, slug } = await world.run(Seed.workspace)
      const { value: token } = await world.run(Seed.token(slug))
      const fact = Audit.fact(bySystem, "audit_exported", { type: "audit_export", id: "export", name: "export" })
      await world.run(
        Effect.flatMap(AuditLog, (log) =>
          log.append(id, { audit: [fact, ...Array.from({ length: 5000 - 4 }, () => fact)] })
        )
      )
      return { id, token }
    }
    let full: ReturnType<typeof fullLog> | undefined

    // The first export is the 5,001st entry.
    it.each([
      [5000, undefined],
      [5001, "true"]
    ])("of %i entries 5,000 are exported", async (entries, truncated) => {
      const { id, token } = await (full ??= fullLog())
      const verdict = await world.run(Effect.flatMap(AuditLog, (log) => log.verify(id)))
      assert.deepStrictEqual(verdict, { entries, firstBad: null })
      const file = await get("/v1/audit/export?format=csv", token)
      assert.strictEqual(file.headers["x-service-export-count"], "5000")
      assert.strictEqual(file.headers["x-service-export-truncated"], truncated)
      assert.strictEqual(file.text.split("\r\n").length, 5002)
    })
  })
