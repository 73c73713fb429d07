import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ConnectionStore } from "../../application/ports/connection/ConnectionStore.ts"
import { ConnectedSystems } from "../../application/ports/connection/ConnectedSystems.ts"
import type { WorkspaceId, WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { gitHub, outgoing } from "../codehost/GitHubPlace.ts"
import * as Seed from "../support/Seed.ts"
import { entries } from "./OnCallDesk.ts"
import { type Browser, open, type Site } from "./Visiting.ts"

type Hub = Effect.Effect.Success<ReturnType<typeof gitHub>>

const plain = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&amp;", "&")

const attribute = (text: string, pattern: RegExp) => plain(pattern.exec(text)?.[1] ?? assert.fail(`${pattern}`))

describe("connections", () => {
  let site: Site
  let hub: Hub
  let id: WorkspaceId
  let slug: WorkspaceSlug
  let [owner, other, member]: Array<Browser> = []
  const scope = Effect.runSync(Scope.make())
  beforeAll(async () => {
    hub = await Effect.runPromise(Scope.extend(gitHub("app"), scope))
    const systems = {
      test: () => Effect.succeed({ problem: null, missing: [], installation: 7 }),
      convert: hub.client.convert,
      gitCredential: () => Effect.succeed(null)
    }
    site = await open({}, null, Layer.succeed(ConnectedSystems, systems) as unknown as Layer.Layer<never>)
    ;({ id, slug } = await site.run(Seed.workspace))
    ;[owner, other, member] = [await site.as(slug), await site.as(slug), await site.as(slug, "member")]
  })
  afterAll(async () => {
    await site?.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  const as = (browser: Browser | undefined): Browser => browser ?? assert.fail("nobody is signed in")
  const path = (more = "") => `/${slug}/settings/connections${more}`
  const listed = () => site.run(Effect.flatMap(ConnectionStore, (store) => store.list(id)))

  it("a token is connected, never shown, tested and removed", async () => {
    const form = { name: "by-token", baseUrl: "https://git.acme.test", token: "github_pat_s3cret" }
    assert.strictEqual((await as(member).post(path(), form)).status, 403)
    const wrong = await as(owner).post(path(), { ...form, token: "", baseUrl: "nowhere" })
    assert.strictEqual(wrong.status, 400)
    const made = await as(owner).post(path(), form)
    assert.strictEqual(made.status, 200, made.text)
    const [connection] = await listed()
    assert.include(made.text, `/hooks/github/${connection?.token}`)
    assert.strictEqual((await as(owner).post(path(), form)).status, 409)
    const list = (await as(member).get(path())).text
    for (const text of [made.text, wrong.text, list]) assert.notInclude(text, "s3cret")
    assert.include(list, "Not tested yet")
    assert.notInclude(list, "Connect GitHub by a token")
    assert.strictEqual((await as(member).post(path(`/${connection?.id}/test`), {})).status, 403)
    assert.strictEqual((await as(owner).post(path(`/${connection?.id}/test`), {})).status, 303)
    assert.include((await as(owner).get(path())).text, "Connected")
    const renewal = path(`/${connection?.id}/renew`)
    assert.include((await as(owner).get(renewal)).text, "Renew by-token")
    assert.include((await as(member).get(renewal)).text, "takes an admin")
    assert.strictEqual((await as(member).post(renewal, { secret: "github_pat_next" })).status, 403)
    for (const secret of ["", "two words"]) {
      const refused = await as(owner).post(renewal, { secret })
      assert.deepStrictEqual([refused.status, refused.text.includes("two words")], [400, false])
    }
    assert.strictEqual((await as(owner).post(renewal, { secret: "github_pat_next" })).status, 303)
    const [renewed] = await listed()
    assert.deepStrictEqual([renewed?.id, renewed?.token], [connection?.id, connection?.token])
    assert.notStrictEqual(renewed?.credentials, connection?.credentials)
    assert.include((await as(owner).get(path(`/${connection?.id}/remove`))).text, "Remove by-token?")
    assert.include((await as(member).get(path(`/${connection?.id}/remove`))).text, "takes an admin")
    assert.strictEqual((await as(owner).post(path(`/${connection?.id}/remove`), {})).status, 303)
    assert.deepStrictEqual(await listed(), [])
    assert.deepStrictEqual(await site.run(entries(id, 4)), [
      "connection_changed success app",
      "connection_changed success app",
      "connection_changed success app",
      "access_denied denied app"
    ])
  })

  it("GitHub creates an App from a manifest, for the browser that began alone", async () => {
    const begin = `/app?name=by-app&organisation=acme&baseUrl=${encodeURIComponent(hub.server.origin)}`
    assert.notInclude((await as(member).get(path(begin))).text, "manifest")
    const page = await as(owner).get(path(begin))
    assert.strictEqual(page.status, 200, page.text)
    assert.include(page.headers["content-security-policy"], `form-action 'self' ${hub.server.origin};`)
    const action = attribute(page.text, /<form[^>]* action="([^"]*organizations\/acme[^"]*)"/)
    const manifest = attribute(page.text, /name="manifest" value="([^"]*)"/)
    const back = await Effect.runPromise(
      outgoing.send({ method: "POST", url: action, body: new URLSearchParams({ manifest }).toString() })
    )
    assert.strictEqual(back.status, 302)
    const { pathname, search } = new URL(back.headers["location"] ?? "")
    assert.strictEqual((await as(other).get(`${pathname}${search}`)).status, 409)
    assert.deepStrictEqual(await listed(), [])
    const made = await as(owner).get(`${pathname}${search}`)
    assert.strictEqual(made.status, 200, made.text)
    const [connection] = await listed()
    assert.deepInclude(connection, { name: "by-app", way: "app", baseUrl: hub.server.origin })
    assert.isNull(connection?.installation?.installation)
    const [, app] = hub.server.world.apps.values()
    assert.strictEqual(app?.hook.url, `${site.url}/hooks/github/${connection?.token}`)
    assert.strictEqual(connection?.installation?.app, app?.clientId)
    assert.include(made.text, `/${app?.slug}/installations/new`)
    assert.strictEqual((await as(owner).get(`${pathname}${search}`)).status, 409)
    await as(owner).post(path(`/${connection?.id}/test`), {})
    assert.strictEqual((await listed())[0]?.installation?.installation, 7)
  })
})
