import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { acceptsHtml, type Application, host } from "../../../adapters/http/server/Host.ts"

const application = (name: string, ...segments: ReadonlyArray<string>): Application<never> => ({
  segments,
  app: Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => HttpServerResponse.text(`${name} ${url}`))
})

const [api, web, mcp] = [application("api", "v1"), application("web", ""), application("mcp", "mcp")]

const asked = (url: string, accept?: string) => {
  const request = new Request("http://localhost/", accept === undefined ? {} : { headers: { accept } })
  const sent = HttpServerRequest.fromWeb(request).modify({ url })
  return host(api, web, [mcp]).pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, sent),
    Effect.scoped,
    Effect.map((response) => HttpServerResponse.toWeb(response)),
    Effect.flatMap((response) => Effect.promise(() => response.text()))
  )
}

describe("applications on one server", () => {
  const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
  it.effect.each([
    ["/", undefined, "web"],
    ["/", "application/json", "web"],
    ["/v1/teams?limit=1", browser, "api"],
    ["/v1", browser, "api"],
    ["/mcp/", browser, "mcp"],
    ["/mcp", undefined, "mcp"],
    ["/mcps", undefined, "api"],
    ["/nowhere", undefined, "api"],
    ["/nowhere", "*/*", "api"],
    ["/nowhere", browser, "web"],
    ["http://proxied.test/v1/teams", browser, "api"],
    ["http://proxied.test", undefined, "web"],
    ["//v1/teams", undefined, "web"],
    ["*", undefined, "web"]
  ] as const)("%s with Accept %s is answered by one", ([url, accept, name]) =>
    Effect.map(asked(url, accept), (text) => assert.strictEqual(text.split(" ")[0], name))
  )

  it("must not own the same segment", () => {
    assert.throws(() => host(api, web, [application("other", "x", "v1")]), "two applications own /v1")
  })

  it.each([
    [undefined, false],
    ["", false],
    ["*/*", false],
    ["application/json", false],
    ["text/html", true],
    ["application/json, Text/HTML;q=0.5", true],
    ["text/html;q=0", false],
    ["text/html; q=0.000", false],
    ["text/htmlx", false],
    [",;,", false]
  ] as const)("an Accept header of %j names HTML: %s", (accept, isNamed) =>
    assert.strictEqual(acceptsHtml(accept), isNamed)
  )
})
