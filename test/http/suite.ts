import { Effect } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bySystem } from "../../application/By.ts"
import * as Members from "../../application/Members.ts"
import * as Tokens from "../../application/Tokens.ts"
import * as Workspaces from "../../application/Workspaces.ts"
import type { Email } from "../../domain/Member.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import { type Answer, ask, type World } from "../support/World.ts"

const boardId = "0b5cbb1e-6ac8-4f0e-9d1c-4b7c3f3d8f11"
const stranger = "11111111-2222-4333-8444-555555555555"
const document = {
  ...Seed.small,
  teams: [{ ...Seed.small.teams[0], id: boardId, createdAt: "2026-01-01T10:00:00.000Z" }, Seed.small.teams[1]]
}

interface Route {
  readonly path: string
  /** Present on routes of one resource: what an unknown and a malformed key answer. */
  readonly missing?: { readonly code: string; readonly unknown: string; readonly malformed: ReadonlyArray<string> }
  /** Every workspace has an audit log of its own, and an export lengthens it. */
  readonly remembers?: boolean
  readonly badQueries?: ReadonlyArray<string>
}

const badPaging = [
  "limit=0",
  "limit=-1",
  "limit=ten",
  "limit=1.5",
  "limit=",
  "limit=1e2",
  "limit=5&limit=6",
  "cursor=x",
  "cursor="
]

const routes: ReadonlyArray<Route> = [
  { path: "/v1/teams" },
  {
    path: "/v1/teams/payments",
    missing: {
      code: "team_not_found",
      unknown: "/v1/teams/nobody",
      malformed: ["/v1/teams/a_b", "/v1/teams/%00", "/v1/teams/a%2Fb"]
    }
  },
  {
    path: "/v1/teams/payments/stories",
    missing: { code: "team_not_found", unknown: "/v1/teams/nobody/stories", malformed: ["/v1/teams/a_b/stories"] },
    badQueries: [...badPaging, "drafts=yes", "drafts=1", "drafts="]
  },
  {
    path: "/v1/stories/PAY-1",
    missing: {
      code: "story_not_found",
      unknown: "/v1/stories/PAY-99",
      malformed: ["/v1/stories/PAY", "/v1/stories/PAY-0", "/v1/stories/PAY-1%00"]
    }
  },
  { path: "/v1/runs", badQueries: [...badPaging, "team=a_b", "team=", "story=PAY", "story="] },
  {
    path: "/v1/runs/run-aaaa",
    missing: {
      code: "run_not_found",
      unknown: "/v1/runs/run-0000",
      malformed: ["/v1/runs/run-aaa", "/v1/runs/run-aaai", "/v1/runs/dec-aaaa"]
    }
  },
  {
    path: "/v1/decisions",
    badQueries: [...badPaging, "status=open", "status=Pending", "status=", "team=a_b", "run=run-1", "run=dec-aaaa"]
  },
  {
    path: "/v1/decisions/dec-aaaa",
    missing: {
      code: "decision_not_found",
      unknown: "/v1/decisions/dec-0000",
      malformed: ["/v1/decisions/dec-aaao", "/v1/decisions/x"]
    }
  },
  {
    path: "/v1/audit",
    remembers: true,
    badQueries: [
      ...badPaging,
      "team=a_b",
      "actor=robot",
      "event=nothing",
      "run=x",
      "from=yesterday",
      "to=2026-02-30",
      "from=2026-02-02&to=2026-02-01"
    ]
  },
  { path: "/v1/audit/export", remembers: true, badQueries: ["format=xml", "format=", "actor=robot", "to=tomorrow"] },
  { path: "/boards" },
  { path: "/v1/boards" },
  {
    path: `/boards/${boardId}`,
    missing: { code: "board_not_found", unknown: `/boards/${stranger}`, malformed: ["/boards/payments"] }
  },
  {
    path: `/v1/boards/${boardId}`,
    missing: { code: "board_not_found", unknown: `/v1/boards/${stranger}`, malformed: ["/v1/boards/x"] }
  }
]
const isList = (route: Route) => route.missing === undefined || route.path.endsWith("/stories")
const openRoutes = ["/", "/docs", "/healthz", "/readyz", "/v1/openapi.json"]

/** Headers that every answer carries. */
const assertCommon = (answer: Answer) => {
  assert.strictEqual(answer.headers["x-ratelimit-limit"], "120")
  assert.match(answer.headers["x-ratelimit-remaining"] ?? "", /^\d+$/)
  const reset = Number(answer.headers["x-ratelimit-reset"])
  assert.isTrue(Math.abs(reset - performance.timeOrigin / 1000 - performance.now() / 1000) < 65, `reset ${reset}`)
  assert.match(answer.headers["x-request-id"] ?? "", /^[\w.:-]{1,128}$/)
  assert.strictEqual(answer.headers["cache-control"], "no-store")
  assert.strictEqual(answer.headers["x-content-type-options"], "nosniff")
  assert.isUndefined(answer.headers["access-control-allow-origin"])
}

const assertRefused = (answer: Answer, status: number, code: string) => {
  assertCommon(answer)
  assert.strictEqual(answer.status, status, answer.text)
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/)
  assert.deepStrictEqual(Object.keys(answer.body), ["error"])
  assert.deepStrictEqual(Object.keys(answer.body.error), ["code", "message"])
  assert.strictEqual(answer.body.error.code, code, answer.text)
  assert.isAbove(answer.body.error.message.length, 20)
}

const removedMembersToken = (slug: WorkspaceSlug) =>
  Effect.gen(function* () {
    const email = `left-${crypto.randomUUID()}@acme.test` as Email
    yield* Members.add(bySystem, { workspace: slug, email, name: "Left", role: "member" })
    const { value } = yield* Seed.token(slug, ["read"], email)
    yield* Members.remove(bySystem, { workspace: slug, email })
    return value
  })

const revokedToken = (slug: WorkspaceSlug) =>
  Effect.gen(function* () {
    const { prefix, value } = yield* Seed.token(slug)
    yield* Tokens.revoke(bySystem, { workspace: slug, prefix })
    return value
  })

const deletedWorkspacesToken = Effect.gen(function* () {
  const { slug } = yield* Seed.workspace
  const { value } = yield* Seed.token(slug)
  yield* Workspaces.remove(bySystem, { slug, confirm: slug })
  return value
})

/** What the service promises over HTTP, whatever storage or runtime is behind it. */
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

    describe.each(routes)("GET $path", (route) => {
      it("answers 200 with a read token, and HEAD the same without a body", async () => {
        const token = await freshToken()
        const answer = await get(route.path, { token })
        assert.strictEqual(answer.status, 200, answer.text)
        assertCommon(answer)
        assert.strictEqual(answer.headers["x-ratelimit-remaining"], "119")
        const head = await get(route.path, { token, method: "HEAD" })
        assert.strictEqual(head.status, 200)
        assertCommon(head)
        assert.strictEqual(head.text, "")
        if (!route.remembers) assert.strictEqual(head.headers["content-length"], String(Buffer.byteLength(answer.text)))
        assert.strictEqual(head.headers["x-ratelimit-remaining"], "118")
      })

      it("answers 401 without a valid token", async () => {
        const refused = [
          [undefined, "missing_token"],
          ["", "missing_token"],
          ["garbage", "invalid_token"],
          ["two words", "invalid_token"],
          [`tk_${"0".repeat(32)}`, "invalid_token"],
          [`tk_${"0".repeat(31)}é`, "invalid_token"],
          [await world.run(Seed.agedToken(mine.slug, 31)), "token_expired"],
          [await world.run(revokedToken(mine.slug)), "token_revoked"],
          [await world.run(removedMembersToken(mine.slug)), "token_revoked"],
          [await world.run(deletedWorkspacesToken), "token_revoked"]
        ] as const
        for (const [token, code] of refused) {
          const sent = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }
          const answer = await get(route.path, sent)
          assertRefused(answer, 401, code)
          assert.strictEqual(answer.headers["x-ratelimit-remaining"], "120")
          assert.strictEqual(answer.headers["www-authenticate"], "Bearer")
          if (token) assert.isFalse(answer.text.includes(token))
        }
        const basic = await get(route.path, { headers: { authorization: "Basic dXNlcjpwYXNz" } })
        assertRefused(basic, 401, "missing_token")
      })

      it("answers 403 to a token without read, and takes admin for it", async () => {
        const answer = await get(route.path, { token: await freshToken(["write", "delete"]) })
        assertRefused(answer, 403, "insufficient_permission")
        assert.include(answer.body.error.message, "'read'")
        assert.include(answer.body.error.message, "write, delete")
        assert.strictEqual((await get(route.path, { token: await freshToken(["admin"]) })).status, 200)
      })

      it("answers 405 with Allow to another method, before asking for a token", async () => {
        for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
          const answer = await get(route.path, { method })
          assertRefused(answer, 405, "method_not_allowed")
          assert.strictEqual(answer.headers["allow"], "GET, HEAD")
        }
      })

      it("shows nothing of another workspace", async () => {
        const other = await world.run(Seed.workspace)
        const { value: token } = await world.run(Seed.token(other.slug))
        const answer = await get(route.path, { token })
        if (route.remembers) assert.notInclude(answer.text, "Refund in part")
        else if (route.missing) assertRefused(answer, 404, route.missing.code)
        else assert.deepStrictEqual(Object.values(answer.body as object)[0], [])
      })

      it("answers 413 to a body that no GET needs", async () => {
        const answer = await get(route.path, {
          token: await freshToken(),
          headers: { "content-length": "65537" },
          body: "x".repeat(65537)
        })
        assertRefused(answer, 413, "payload_too_large")
      })

      if (route.missing) {
        const { code, malformed, unknown } = route.missing
        it("answers 404 to an unknown or malformed key", async () => {
          const token = await freshToken()
          for (const path of [unknown, ...malformed]) assertRefused(await get(path, { token }), 404, code)
        })
      }

      if (!isList(route))
        it("carries an ETag and answers 304 to who has it", async () => {
          const token = await freshToken()
          const { headers, text } = await get(route.path, { token })
          const etag = headers["etag"] ?? ""
          assert.match(etag, /^"[\w-]{27}"$/)
          for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
            const answer = await get(route.path, { token, headers: { "if-none-match": known } })
            assert.strictEqual(answer.status, 304)
            assertCommon(answer)
            assert.strictEqual(answer.text, "")
            assert.strictEqual(answer.headers["etag"], etag)
          }
          const other = await get(route.path, { token, headers: { "if-none-match": '"other"' } })
          assert.deepStrictEqual([other.status, other.text], [200, text])
        })

      for (const query of route.badQueries ?? [])
        it(`answers 400 to ?${query}`, async () => {
          const answer = await get(`${route.path}?${query}`, { token: await freshToken() })
          const name = query.split("=")[0] ?? ""
          assertRefused(answer, 400, name === "cursor" ? "invalid_cursor" : "invalid_parameter")
          assert.match(answer.body.error.message, new RegExp(`^${name} `))
        })
    })

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
      const token = await freshToken()
      const answers = await Promise.all(Array.from({ length: 121 }, () => get("/v1/teams", { token })))
      const [refused, ...more] = answers.filter((answer) => answer.status !== 200)
      assert.isDefined(refused)
      assert.deepStrictEqual(more, [])
      assertRefused(refused as Answer, 429, "rate_limited")
      assert.strictEqual(refused?.headers["x-ratelimit-remaining"], "0")
      const wait = Number(refused?.headers["retry-after"])
      assert.isTrue(Number.isInteger(wait) && wait >= 1 && wait <= 60, `${wait}`)
      assertRefused(await get("/v1/teams/nobody", { token }), 429, "rate_limited")
      assert.strictEqual((await get("/v1/teams", { token: await freshToken() })).status, 200)
    })

    it("requests that fail count too, refusals before the token do not", async () => {
      const token = await freshToken()
      await get("/v1/teams/nobody", { token })
      await get("/v1/runs?limit=0", { token })
      await get("/nowhere", { token })
      await get("/v1/teams", { token, method: "POST" })
      assert.strictEqual((await get("/v1/teams", { token })).headers["x-ratelimit-remaining"], "117")
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

    it.each(openRoutes)("%s is open and not limited", async (path) => {
      const answer = await get(path)
      assert.strictEqual(answer.status, 200)
      assertCommon(answer)
      assert.strictEqual(answer.headers["x-ratelimit-remaining"], "120")
      const head = await get(path, { method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assertRefused(await get(path, { method: "POST" }), 405, "method_not_allowed")
    })

    it("a sane request id is echoed, another is replaced", async () => {
      assert.strictEqual(
        (await get("/healthz", { headers: { "x-request-id": "abc-1.2:3" } })).headers["x-request-id"],
        "abc-1.2:3"
      )
      for (const id of ["a b", "x".repeat(129), "<script>"])
        assert.notStrictEqual((await get("/healthz", { headers: { "x-request-id": id } })).headers["x-request-id"], id)
    })
  })
