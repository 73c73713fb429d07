import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import { type Answer, ask, withinOneMinute, type World } from "../support/World.ts"
import { assertCommon, assertRefused } from "./answers.ts"
import { deletedTeam } from "./deletedTeam.ts"
import { matrix } from "./matrix.ts"
import { pages } from "./pages.ts"
import { boardId, document, openPaths, reads } from "./routes.ts"

/** The service's promises over HTTP, on any storage and runtime. */
export const httpSuite = (name: string, open: () => Promise<World>) =>
  describe(`HTTP (${name})`, () => {
    let world: World
    let mine: { readonly id: WorkspaceId; readonly slug: WorkspaceSlug }
    const get = (path: string, options: Parameters<typeof ask>[2] = {}) => ask(world.url, path, options)
    const freshToken = async (permissions: Parameters<typeof Seed.token>[1] = ["read"]) =>
      (await world.run(Seed.token(mine.slug, permissions))).value

    beforeAll(async () => {
      world = await open()
      mine = await world.run(Seed.workspace)
      await world.run(Seed.load(mine.slug, document))
    })
    afterAll(() => world?.close())

    matrix({ get, freshToken, run: (effect) => world.run(effect), slug: () => mine.slug })
    deletedTeam({ get, run: (effect) => world.run(effect) })

    it("a team has every field of the contract", async () => {
      const { body } = await get("/v1/teams/PAYMENTS", { token: await freshToken() })
      assert.deepStrictEqual(body, {
        id: boardId,
        slug: "payments",
        name: "Payments",
        description: null,
        keyPrefix: "PAY",
        paused: false,
        policy: {
          preset: "standard",
          custom: false,
          version: 1,
          executor: "claude-code",
          maxConcurrency: 3,
          budgets: { runCents: 500, dayCents: 10000, monthCents: 100000 },
          planApproval: "large_stories",
          mergePolicy: "small_changes",
          pausedAt: null,
          updatedAt: body.policy.updatedAt
        },
        createdAt: "2026-01-01T10:00:00.000Z",
        updatedAt: null
      })
      assert.match(body.policy.updatedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    })

    it.each(reads.filter(({ isPaged }) => isPaged))(
      "$path refuses a cursor that claims what cannot be",
      async ({ path }) => {
        const token = await freshToken()
        for (const seq of ["9223372036854775807", "9999999999999999999"]) {
          const cursor = Buffer.from(`1.${seq}.${"A".repeat(16)}.${"A".repeat(43)}`).toString("base64url")
          assertRefused(await get(`${path}?cursor=${cursor}`, { token }), 400, "invalid_cursor")
        }
      }
    )

    it("the team list is complete on one page, sorted, with null policy and cursor", async () => {
      const { body } = await get("/v1/teams", { token: await freshToken() })
      assert.deepStrictEqual(
        body.data.map((team: { slug: string }) => team.slug),
        ["payments", "web"]
      )
      assert.deepStrictEqual([body.nextCursor, body.data[1].policy, body.data[1].paused], [null, null, true])
    })

    it("boards are the teams in the old shape, marked as deprecated", async () => {
      const token = await freshToken()
      const board = {
        id: boardId,
        name: "Payments",
        description: null,
        icon: null,
        accent_color: null,
        created_at: "2026-01-01T10:00:00.000Z",
        updated_at: null
      }
      for (const prefix of ["", "/v1"]) {
        const list = await get(`${prefix}/boards`, { token })
        assert.deepStrictEqual(list.body.boards[0], board)
        const one = await get(`${prefix}/boards/${boardId.toUpperCase()}`, { token })
        assert.deepStrictEqual(one.body, { board: { ...board, background_color: null, layout_preference: "kanban" } })
        for (const { headers } of [list, one]) {
          assert.match(headers["deprecation"] ?? "", /^@\d+$/)
          assert.strictEqual(headers["link"], '</v1/teams>; rel="successor-version"')
        }
      }
    })

    it("drafts are left out unless asked for", async () => {
      const token = await freshToken()
      const keys = async (query: string) =>
        (await get(`/v1/teams/payments/stories${query}`, { token })).body.data.map(
          (story: { key: string }) => story.key
        )
      assert.deepStrictEqual(await keys(""), ["PAY-1"])
      assert.deepStrictEqual(await keys("?drafts=false"), ["PAY-1"])
      assert.deepStrictEqual(await keys("?drafts=true"), ["PAY-2", "PAY-1"])
    })

    it("filters answer 404 to an unknown team and an empty page to other unknown keys", async () => {
      const token = await freshToken()
      for (const path of ["/v1/runs?team=nobody", "/v1/decisions?team=nobody&status=pending"])
        assertRefused(await get(path, { token }), 404, "team_not_found")
      for (const path of ["/v1/runs?story=PAY-99", "/v1/decisions?run=run-0000", "/v1/runs?team=web&story=PAY-1"])
        assert.deepStrictEqual((await get(path, { token })).body, { data: [], nextCursor: null })
      const found = await get("/v1/decisions?run=RUN-AAAA&status=pending&team=Payments&unknown=1", { token })
      assert.deepStrictEqual(
        found.body.data.map((decision: { key: string }) => decision.key),
        ["dec-aaaa"]
      )
    })

    it("pages follow one another by cursor, and a limit above 100 is 100", async () => {
      const { slug } = await world.run(Seed.workspace)
      const decision = { kind: "plan_approval", title: "?", recommendation: "yes", options: Seed.options }
      await world.run(
        Seed.load(slug, {
          teams: [{ slug: "t", name: "T", keyPrefix: "T" }],
          decisions: Array.from({ length: 230 }, () => decision)
        })
      )
      const { value: token } = await world.run(Seed.token(slug))
      const seen: Array<string> = []
      const sizes: Array<number> = []
      let cursor: string | null = null
      for (const limit of ["1000", "100", "25"]) {
        const { body }: Answer = await get(
          `/v1/decisions?limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`,
          { token }
        )
        sizes.push(body.data.length)
        seen.push(...body.data.map((one: { key: string }) => one.key))
        cursor = body.nextCursor
      }
      assert.deepStrictEqual(sizes, [100, 100, 25])
      const last = await get(`/v1/decisions?cursor=${cursor}`, { token })
      assert.deepStrictEqual([last.body.data.length, last.body.nextCursor], [5, null])
      seen.push(...last.body.data.map((one: { key: string }) => one.key))
      assert.strictEqual(new Set(seen).size, 230)
      assert.strictEqual((await get("/v1/decisions", { token })).body.data.length, 25)
    })

    it("a cursor of another list, other filters or another workspace, or one with a changed bit, is refused", async () => {
      const token = await freshToken()
      const { body } = await get("/v1/decisions?limit=1", { token })
      const cursor: string = body.nextCursor
      const other = await world.run(Seed.workspace)
      await world.run(Seed.load(other.slug, document))
      const { value: stranger } = await world.run(Seed.token(other.slug))
      const refused = [
        get(`/v1/decisions?status=pending&cursor=${cursor}`, { token }),
        get(`/v1/decisions?team=payments&cursor=${cursor}`, { token }),
        get(`/v1/runs?cursor=${cursor}`, { token }),
        get(`/v1/decisions?cursor=${cursor}`, { token: stranger }),
        ...Array.from({ length: 20 }, (_, turn) => {
          const at = Math.floor((turn * cursor.length) / 20)
          const changed = cursor[at] === "A" ? "B" : "A"
          return get(`/v1/decisions?cursor=${cursor.slice(0, at)}${changed}${cursor.slice(at + 1)}`, { token })
        })
      ]
      for (const answer of await Promise.all(refused)) assertRefused(answer, 400, "invalid_cursor")
      assert.strictEqual((await get(`/v1/decisions?cursor=${cursor}`, { token })).status, 200)
    })

    it("the 121st request in a minute is refused with Retry-After, other tokens are not", async () => {
      const answers = await withinOneMinute(async () => {
        const token = await freshToken()
        const many = await Promise.all(Array.from({ length: 121 }, () => get("/v1/teams", { token })))
        return [...many, await get("/v1/teams/nobody", { token })]
      })
      const limited = answers.filter((answer) => answer.status !== 200)
      assert.lengthOf(limited, 2)
      assert.strictEqual(limited[1], answers.at(-1))
      for (const refused of limited) {
        assertRefused(refused, 429, "rate_limited")
        assert.strictEqual(refused.headers["x-ratelimit-remaining"], "0")
        const wait = Number(refused.headers["retry-after"])
        assert.isTrue(Number.isInteger(wait) && wait >= 1 && wait <= 60, `${wait}`)
      }
      assert.strictEqual((await get("/v1/teams", { token: await freshToken() })).status, 200)
    })

    it("requests that fail count too, refusals before the token do not", async () => {
      const answers = await withinOneMinute(async () => {
        const token = await freshToken()
        const first = await get("/v1/teams/nobody", { token })
        await get("/v1/runs?limit=0", { token })
        await get("/nowhere", { token })
        await get("/v1/teams", { token, method: "POST" })
        return [first, await get("/v1/teams", { token })]
      })
      assert.strictEqual(answers[1]?.headers["x-ratelimit-remaining"], "117")
    })

    it("projects and tasks are gone, with any method, with and without a token", async () => {
      const token = await freshToken()
      const paths = [
        "/projects",
        "/projects/1",
        "/projects/1/tasks/2",
        "/tasks",
        "/tasks/7",
        `/boards/${boardId}/projects`,
        `/boards/x/projects/9/z`
      ]
      for (const path of [...paths, ...paths.map((path) => `/v1${path}`)])
        for (const method of ["GET", "POST", "DELETE"]) {
          assertRefused(await get(path, { method }), 410, "endpoint_gone")
          assertRefused(await get(path, { method, token }), 410, "endpoint_gone")
        }
      assert.strictEqual((await get("/projects", { method: "HEAD" })).status, 410)
    })

    it("a key that is too long, or goes on behind a ; or #, is not there", async () => {
      const token = await freshToken()
      const long = `/v1/teams/${"a".repeat(300)}`
      assertRefused(await get(long), 401, "missing_token")
      assertRefused(await get(long, { token }), 404, "team_not_found")
      assertRefused(await get(`/v1/decisions/${"d".repeat(3000)}`, { token }), 404, "decision_not_found")
      for (const path of ["/v1/teams/payments;x", "/v1/runs/run-aaaa#x", "/v1/teams;x"])
        assert.strictEqual((await get(path, { token })).status, 404)
    })

    it("what is not a route answers 404 in the shape of every error", async () => {
      const paths = [
        "/nowhere",
        "/v1",
        "/v2/teams",
        "/v1/teams/",
        "/v1/teams/a/b/c",
        "/v1/teams/%zz",
        "//",
        "/v1//teams",
        "/projectsx",
        "/..%2f..%2fetc"
      ]
      for (const path of paths) assertRefused(await get(path), 404, "route_not_found")
      const secret = "/nowhere?key=s3cret"
      assert.isFalse((await get(secret)).text.includes("s3cret"))
    })

    it.each(openPaths)("%s is open and not limited", async (path) => {
      const answer = await get(path)
      assert.strictEqual(answer.status, 200)
      assertCommon(answer)
      assert.strictEqual(answer.headers["x-ratelimit-remaining"], "120")
      const head = await get(path, { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assertRefused(await get(path, { method: "POST" }), 405, "method_not_allowed")
    })

    it.each([
      ["/", "/sign-in"],
      ["/incidents/acme/INC-0000", "/acme/incidents/inc-0000"]
    ])("%s leads to %s", async (path, to) => {
      const { headers, status } = await get(path)
      assert.deepStrictEqual([status, headers["location"]], [303, to])
      assertRefused(await get(path, { method: "POST" }), 405, "method_not_allowed")
    })

    it.each([
      "/incidents/%3Cscript%3E/inc-0000",
      "/incidents/acme/inc-%22%3E%3Cimg",
      "/incidents/acme/inc-0000;reboot",
      "/incidents/acme%20--as%20x/inc-0000",
      "/incidents/acme/inc-000",
      "/incidents/acme/run-0000",
      "/incidents/acme/inc-0000%0Areboot"
    ])("%s leads nowhere: an old link holds nothing but a slug and a key", async (path) => {
      assertRefused(await get(path), 404, "route_not_found")
    })

    pages(get)

    it("a sane request id is echoed, another is replaced", async () => {
      assert.strictEqual(
        (await get("/healthz", { headers: { "x-request-id": "abc-1.2:3" } })).headers["x-request-id"],
        "abc-1.2:3"
      )
      for (const id of ["a b", "x".repeat(129), "<script>"])
        assert.notStrictEqual((await get("/healthz", { headers: { "x-request-id": id } })).headers["x-request-id"], id)
    })
  })
