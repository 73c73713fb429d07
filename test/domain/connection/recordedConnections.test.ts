import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either } from "effect"
import type { Change } from "../../../domain/Change.ts"
import * as ChangeConnection from "../../../domain/connection/ChangeConnection.ts"
import { apisOf, Connection, repositoryOn } from "../../../domain/connection/Connection.ts"
import type { NotificationId } from "../../../domain/oncall/InboxEntry.ts"
import type { MemberId } from "../../../domain/workspace/Member.ts"
import { recorded, success } from "../Outcome.ts"
import { ana, before, now } from "../Sample.ts"
import { input as entered } from "./NewConnection.ts"

const input = { ...entered, baseUrl: "https://github.com" }
const { id } = input
const made = new Connection({
  ...input,
  trouble: null,
  missing: [],
  testedAt: before,
  createdAt: before,
  removedAt: null
})
const app = new Connection({ ...made, way: "app", installation: { app: "Iv1", installation: 1 } })
const shown = {
  name: "GitHub",
  kind: "github",
  way: "token",
  baseUrl: "https://github.com",
  missing: [],
  trouble: null
}

const having = (...connections: ReadonlyArray<Connection>) => ({ now, connections, admins: [] })
const beforeAndAfter = (change: Change) => {
  assert.deepStrictEqual(recorded(change), ["connection_changed connection GitHub"])
  const { after, before: old } = change.audit[0].details
  return { before: old, after }
}

describe("the audit log", () => {
  it("has a new connection with its fields, and the row is added", () => {
    const { change, result } = success(ChangeConnection.create(ana, input)(having()))
    assert.deepStrictEqual(beforeAndAfter(change), { before: undefined, after: { ...shown, state: "untested" } })
    assert.deepStrictEqual(change.added?.connections, [result])
  })

  it("has the fields of a removed connection", () => {
    const { change } = success(ChangeConnection.remove(ana, id.toUpperCase())(having(made)))
    assert.deepStrictEqual(beforeAndAfter(change), { before: { ...shown, state: "connected" }, after: undefined })
  })

  it("has that a secret is another, and the row is changed", () => {
    const { change, result } = success(
      ChangeConnection.renew(ana, "GitHub", { credentials: "v2", way: "token" })(having(made))
    )
    assert.deepStrictEqual(beforeAndAfter(change), {
      before: { state: "connected", secret: "former" },
      after: { state: "untested", secret: "renewed" }
    })
    assert.deepStrictEqual([change.changed?.connections, result.missing], [[result], []])
  })

  it("has a trouble, and the row is changed", () => {
    const { change, result } = success(ChangeConnection.observe(ana, id, { problem: "Gone" })(having(made)))
    assert.deepStrictEqual(beforeAndAfter(change), {
      before: { state: "connected", trouble: null },
      after: { state: "failing", trouble: "Gone" }
    })
    assert.deepStrictEqual([change.changed?.connections, change.added?.notifications], [[result], []])
  })
})

describe("the test of a connection", () => {
  it.each([
    ["by an App finds its installation", app, 7, { app: "Iv1", installation: 7 }],
    ["by an App keeps the installation that it has", app, undefined, { app: "Iv1", installation: 1 }],
    ["by a token has none", made, 7, null]
  ])("%s", (_, of, installation, expected) => {
    const outcome = { problem: null, missing: [], ...(installation !== undefined && { installation }) }
    const { result } = success(ChangeConnection.observe(ana, id, outcome)(having(of)))
    assert.deepStrictEqual(result.installation, expected)
  })

  it("that fails for long tells each admin for whom an id was drawn, with the reason", () => {
    const failing = new Connection({
      ...made,
      trouble: { reason: "Gone", since: DateTime.subtract(now, { minutes: 15 }), isNoticed: false }
    })
    const admins = [1, 2].map((n) => `00000000-0000-4000-8000-00000000000${n}` as MemberId)
    const drawn = ["00000000-0000-4000-8000-000000000008" as NotificationId]
    const observed = (problem: string | null) =>
      success(ChangeConnection.observe(ana, id, { problem }, drawn)({ ...having(failing), admins })).change
    const texts = observed("Gone").added?.notifications?.map(({ text }) => text.split("\n"))
    assert.strictEqual(texts?.length, 1)
    const [first = "", reason, last = ""] = texts?.[0] ?? []
    assert.match(first, /^The connection 'GitHub' .*\.$/)
    assert.strictEqual(reason, "Gone")
    assert.include(last, "'gatehouse connection test'")
    assert.deepStrictEqual(observed(null).added?.notifications, [])
  })
})

describe("the refusal of a connection", () => {
  const refused = (decided: Either.Either<unknown, { readonly message: string }>) =>
    Either.getOrThrow(Either.flip(decided)).message

  it.each<readonly [Partial<ChangeConnection.NewConnection>, RegExp]>([
    [{ baseUrl: "github.com" }, /^The base address must be an address such as/],
    [{ baseUrl: "ftp://github.com" }, /^The base address must be an address such as/],
    [{ baseUrl: "https://user@github.com" }, /must not hold credentials/],
    [{ baseUrl: "https://:pass@github.com" }, /must not hold credentials/],
    [{ baseUrl: "https://github.com/?a" }, /must not hold \? or #/],
    [{ baseUrl: "https://github.com/#a" }, /must not hold \? or #/],
    [{ way: "app" }, /^A connection by an App needs the App and its installation/]
  ])("%j names the reason", (more, reason) =>
    assert.match(refused(ChangeConnection.create(ana, { ...input, ...more })(having())), reason)
  )

  it("by http is none", () => {
    const local = ChangeConnection.create(ana, { ...input, baseUrl: "http://git.acme.test" })(having())
    assert.strictEqual(success(local).result.baseUrl, "http://git.acme.test")
  })

  it.each([
    [made, "app", "The connection 'GitHub' needs a token."],
    [app, "token", "The connection 'GitHub' needs the private key of its App."]
  ] as const)("names the secret that it needs (%#)", (of, way, message) =>
    assert.strictEqual(refused(ChangeConnection.renew(ana, "GitHub", { credentials: "v2", way })(having(of))), message)
  )
})

describe("an address that is none", () => {
  it("has no repository, and its API below it", () => {
    assert.isNull(repositoryOn("nothing", "nothing"))
    assert.isNull(repositoryOn("nothing", "https://github.com/acme/pay"))
    assert.strictEqual(apisOf("nothing").rest, "nothing/api/v3")
  })

  it.each([
    [".github", "acme/.github"],
    ["pay..", "acme/pay.."],
    ["...", null]
  ])("of a repository named %s gives %s", (name, expected) => {
    const found = repositoryOn("https://github.com", `git@github.com:acme/${name}`)
    assert.strictEqual(found && `${found.owner}/${found.name}`, expected)
  })
})
