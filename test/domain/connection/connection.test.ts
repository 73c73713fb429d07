import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import * as ChangeConnection from "../../../domain/connection/ChangeConnection.ts"
import { apisOf, Connection, repositoryOn, stateOf } from "../../../domain/connection/Connection.ts"
import type { NotificationId } from "../../../domain/oncall/InboxEntry.ts"
import type { MemberId } from "../../../domain/workspace/Member.ts"
import { ana, before, now } from "../Sample.ts"
import { refusal, success } from "../Outcome.ts"
import { input } from "./NewConnection.ts"

const { id } = input

const created = (more: Partial<ChangeConnection.NewConnection> = {}, connections: ReadonlyArray<Connection> = []) =>
  ChangeConnection.create(ana, { ...input, ...more })({ now, connections, admins: [] })

const made = success(created()).result

describe("the addresses of a connection", () => {
  it.each([
    ["https://github.com", "https://api.github.com", "https://api.github.com/graphql"],
    ["https://acme.ghe.com", "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"],
    ["https://git.acme.test:8443", "https://git.acme.test:8443/api/v3", "https://git.acme.test:8443/api/graphql"]
  ])("%s has its API at %s", (base, rest, graphql) => {
    assert.deepStrictEqual(apisOf(base), { rest, graphql })
  })

  it.each([
    ["https://github.com/acme/pay", "acme/pay"],
    ["https://github.com/acme/pay.git", "acme/pay"],
    ["https://GitHub.com/acme/pay/", "acme/pay"],
    ["ssh://git@github.com/acme/pay.git", "acme/pay"],
    ["git@github.com:acme/pay.js.git", "acme/pay.js"],
    ["https://github.com/ana_acme/pay", "ana_acme/pay"],
    ["https://github.com/_acme/pay", null],
    ["https://github.com/acme", null],
    ["https://github.com/acme/pay/tree/main", null],
    ["https://github.com/acme/..", null],
    ["https://github.com:8443/acme/pay", null],
    ["https://evil.test/github.com/pay", null],
    ["/srv/git/pay.git", null]
  ])("%s is the repository %s", (address, expected) => {
    const found = repositoryOn("https://github.com", address)
    assert.strictEqual(found && `${found.owner}/${found.name}`, expected)
  })
})

describe("a renewed connection", () => {
  const failing = new Connection({ ...made, trouble: { reason: "Bad credentials", since: before, isNoticed: true } })
  const renewed = (way: "token" | "app", name = "GitHub") =>
    ChangeConnection.renew(ana, name, { credentials: "v1.next", way })({ now, connections: [failing], admins: [] })

  it("keeps its id and webhooks, has no trouble, and records no secret", () => {
    const { change, result } = success(renewed("token"))
    assert.deepInclude<object>(result, { id, token: made.token, credentials: "v1.next", trouble: null })
    assert.strictEqual(stateOf(result), "untested")
    assert.notInclude(JSON.stringify(change.audit), "v1.")
    assert.include(JSON.stringify(change.audit), "renewed")
  })

  it("takes the kind of secret that it has, and must exist", () => {
    assert.strictEqual(refusal(renewed("app")), "InvalidConnection")
    assert.strictEqual(refusal(renewed("token", "nobody")), "ConnectionNotFound")
  })
})

describe("a new connection", () => {
  it("keeps its address without a slash, and records no secret", () => {
    const { change, result } = success(created())
    assert.deepInclude<object>(result, { baseUrl: "https://github.com", trouble: null, missing: [], testedAt: null })
    assert.strictEqual(stateOf(result), "untested")
    assert.deepStrictEqual(change.audit[0].entity, { type: "connection", id, name: "GitHub" })
    assert.notInclude(JSON.stringify(change.audit), "sealed")
  })

  it.each<readonly [Partial<ChangeConnection.NewConnection>, string]>([
    [{ baseUrl: "github.com" }, "InvalidConnection"],
    [{ baseUrl: "ftp://github.com" }, "InvalidConnection"],
    [{ baseUrl: "https://user:pass@github.com" }, "InvalidConnection"],
    [{ baseUrl: "https://github.com/?a" }, "InvalidConnection"],
    [{ name: "" }, "InvalidConnection"],
    [{ way: "app" }, "InvalidConnection"],
    [{ installation: { app: "Iv1", installation: 1 } }, "InvalidConnection"]
  ])("%j is refused as %s", (more, tag) => {
    assert.strictEqual(refusal(created(more)), tag)
  })

  it("has a name of its own", () => {
    assert.strictEqual(refusal(created({}, [made])), "ConnectionNameTaken")
    assert.isNull(refusal(created({ name: "Other" }, [made])))
  })
})

describe("a connection", () => {
  it("is found by name or id and removed with its secrets", () => {
    for (const name of ["GitHub", id.toUpperCase()]) {
      const { change, result } = success(ChangeConnection.remove(ana, name)({ now, connections: [made], admins: [] }))
      assert.deepInclude<object>(result, { credentials: "", removedAt: now })
      assert.deepStrictEqual(change.changed?.connections, [result])
    }
    assert.strictEqual(
      refusal(ChangeConnection.remove(ana, "x")({ now, connections: [made], admins: [] })),
      "ConnectionNotFound"
    )
  })

  const admins = ["00000000-0000-4000-8000-000000000007"] as unknown as ReadonlyArray<MemberId>
  const drawn = ["00000000-0000-4000-8000-000000000008"] as unknown as ReadonlyArray<NotificationId>

  const seen = (of: Connection, outcome: ChangeConnection.Outcome) =>
    ChangeConnection.observe(ana, id, outcome, drawn)({ now, connections: [of], admins })

  it("keeps a trouble with its start until a call works, and changes nothing for the same outcome", () => {
    const failing = success(seen(made, { problem: "Bad credentials" })).result
    assert.deepStrictEqual(
      [stateOf(failing), failing.trouble],
      ["failing", { reason: "Bad credentials", since: now, isNoticed: false }]
    )
    assert.deepStrictEqual(Either.getOrThrow(Either.flip(seen(failing, { problem: "Bad credentials" }))), failing)
    const older = { ...failing, trouble: { reason: "Gone", since: before, isNoticed: true } } as Connection
    assert.deepStrictEqual(success(seen(older, { problem: "Other" })).result.trouble, {
      reason: "Other",
      since: before,
      isNoticed: true
    })
    const again = success(seen(failing, { problem: null })).result
    assert.deepStrictEqual([again.trouble, stateOf(again)], [null, "untested"])
    assert.isTrue(Either.isLeft(seen(again, { problem: null })))
    assert.strictEqual(success(seen(made, { problem: "x".repeat(600) })).result.trouble?.reason.length, 500)
  })

  it("notifies its admins once of a trouble that lasts", () => {
    const since = DateTime.subtract(now, { minutes: 15 })
    const failing = { ...made, trouble: { reason: "Gone", since, isNoticed: false } } as Connection
    const { change, result } = success(seen(failing, { problem: "Gone" }))
    assert.deepStrictEqual(
      change.added?.notifications?.map(({ event, member, subject }) => [event, member, subject]),
      [["connection_failing", admins[0], "The connection 'GitHub' has not worked since 2026-03-02T09:45:00.000Z"]]
    )
    assert.isTrue(result.trouble?.isNoticed)
    assert.isTrue(Either.isLeft(seen(result, { problem: "Gone" })))
    const young = {
      ...failing,
      trouble: { reason: "Gone", since: DateTime.add(since, { seconds: 1 }), isNoticed: false }
    }
    assert.isTrue(Either.isLeft(seen(young as Connection, { problem: "Gone" })))
  })

  it("keeps what a test found missing, and its time", () => {
    const tested = success(seen(made, { problem: null, missing: ["statuses", "contents"] })).result
    assert.deepStrictEqual([tested.missing, tested.testedAt], [["contents", "statuses"], now])
    assert.strictEqual(stateOf(tested), "incomplete")
    const whole = success(seen(tested, { problem: null, missing: [] })).result
    assert.strictEqual(stateOf(whole), "connected")
    assert.isTrue(
      Either.isLeft(ChangeConnection.observe(ana, "x", { problem: null })({ now, connections: [], admins: [] }))
    )
  })
})
