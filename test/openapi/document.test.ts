import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, expect, it } from "vitest"
import * as OperationErrors from "../../adapters/api/OperationErrors.ts"
import { document, operations, responsesOf, text } from "./Published.ts"
import { long } from "../support/Long.ts"

const root = new URL("../../", import.meta.url).pathname

/** Vitest shows it when a committed file differs from the code's description. */
const howToUpdate = "when the change is meant, 'npx vitest run test/openapi -u' updates it"

const lint = async () => {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-openapi-"))
  const file = join(folder, "openapi.json")
  await writeFile(file, text)
  const redocly = [join(root, "node_modules/.bin/redocly"), "lint", file, "--format", "json"]
  const options = { cwd: root, env: { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } }
  const { stdout } = await promisify(execFile)(process.execPath, redocly, options).catch(
    (failed: { readonly stdout: string }) => failed
  )
  await rm(folder, { recursive: true })
  return JSON.parse(stdout)
}

const needsToken = {
  401: ["missing_token", "invalid_token", "token_expired", "token_revoked"],
  403: ["insufficient_permission"],
  413: ["payload_too_large"],
  429: ["rate_limited"],
  500: ["internal_error"],
  503: ["unavailable"]
}
const intake = {
  400: ["unreadable_alert"],
  401: ["invalid_proof", "timestamp_out_of_window"],
  404: ["source_not_found"],
  413: ["payload_too_large"],
  415: ["unsupported_media_type"],
  503: ["unavailable"]
}
const list = { ...needsToken, 400: ["invalid_parameter", "invalid_cursor"] }

/** Every error code of each route, from the public table of codes. */
const refusals: Record<string, Record<string, ReadonlyArray<string>>> = {
  "GET /v1/teams": needsToken,
  "GET /v1/teams/{team}": { ...needsToken, 404: ["team_not_found"] },
  "GET /v1/teams/{team}/stories": { ...list, 404: ["team_not_found"] },
  "GET /v1/stories/{story}": { ...needsToken, 404: ["story_not_found"] },
  "GET /v1/runs": { ...list, 404: ["team_not_found"] },
  "GET /v1/runs/{run}": { ...needsToken, 404: ["run_not_found"] },
  "GET /v1/decisions": { ...list, 404: ["team_not_found"] },
  "GET /v1/decisions/{decision}": { ...needsToken, 404: ["decision_not_found"] },
  "POST /v1/decisions/{decision}/resolve": {
    ...needsToken,
    400: ["invalid_parameter", "invalid_json", "invalid_request", "note_too_long", "unknown_option"],
    403: ["insufficient_authority", "insufficient_permission"],
    404: ["decision_not_found"],
    409: [
      "decision_already_resolved",
      "decision_expired",
      "decision_cancelled",
      "decision_superseded",
      "idempotency_key_reused"
    ],
    415: ["unsupported_media_type"]
  },
  "GET /v1/audit": { ...list, 403: ["admin_required", "insufficient_permission"], 404: ["team_not_found"] },
  "GET /v1/audit/export": {
    ...needsToken,
    400: ["invalid_parameter"],
    403: ["admin_required", "insufficient_permission"],
    404: ["team_not_found"]
  },
  "POST /signals/{source}": intake,
  "PUT /signals/{source}": intake,
  "GET /boards": needsToken,
  "GET /v1/boards": needsToken,
  "GET /boards/{board}": { ...needsToken, 404: ["board_not_found"] },
  "GET /v1/boards/{board}": { ...needsToken, 404: ["board_not_found"] },
  "GET /healthz": {},
  "GET /readyz": { 503: ["unavailable"] },
  "GET /v1/openapi.json": {}
}

/** Codes of responses without an operation. */
const elsewhere = ["route_not_found", "method_not_allowed", "endpoint_gone"]

const errorBody = (codes: ReadonlyArray<string> | undefined) => ({
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: { code: { type: "string", enum: codes }, message: expect.objectContaining({ type: "string" }) },
      additionalProperties: false
    }
  },
  additionalProperties: false
})

describe("the OpenAPI document", () => {
  long(() => {
    it("passes redocly without an error or a warning", async () => {
      const { problems, totals } = await lint()
      assert.deepStrictEqual({ problems, ...totals }, { problems: [], errors: 0, warnings: 0, ignored: 0 })
    })
  })

  it("is committed as docs/openapi.json", async () => {
    await expect(text).toMatchFileSnapshot(join(root, "docs/openapi.json"), howToUpdate)
  })

  it("lists the routes of the table of refusals, and no other", () => {
    assert.deepStrictEqual([...operations.keys()].toSorted(), Object.keys(refusals).toSorted())
  })

  it.each([...operations])("gives %s the codes it can answer, in the one shape of errors", (route, operation) => {
    const errors = [...responsesOf(operation)].filter(([status]) => Number(status) >= 400)
    assert.sameMembers(
      errors.map(([status]) => status),
      Object.keys(refusals[route] ?? {})
    )
    for (const [status, { content }] of errors)
      expect(content).toEqual({ "application/json": { schema: errorBody(refusals[route]?.[status]) } })
  })

  it.each([...operations])("gives every answer of %s its headers", (_, operation) => {
    for (const [status, { headers }] of responsesOf(operation)) {
      assert.containsAllKeys(headers, ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"])
      assert.strictEqual("Retry-After" in headers, status === "429" || status === "503")
    }
  })

  it("asks for a token on every operation but the open ones", () => {
    const open = [...operations].filter(([, operation]) => operation.security.length === 0).map(([route]) => route)
    assert.deepStrictEqual(open, [
      "POST /signals/{source}",
      "PUT /signals/{source}",
      "GET /healthz",
      "GET /readyz",
      "GET /v1/openapi.json"
    ])
  })

  it("explains every code there is", () => {
    const codes = [...OperationErrors.all.values()].map(({ code }) => code)
    const known = [...Object.values(refusals).flatMap((statuses) => Object.values(statuses).flat()), ...elsewhere]
    assert.deepStrictEqual(codes.toSorted(), [...new Set(known)].toSorted())
    for (const code of known) assert.include(document.info.description, `\`${code}\``)
  })

  it("shows nothing of the framework it is generated by", () => {
    assert.notMatch(text, /HttpApiDecodeError|_tag|Effect|TypeScript/)
  })
})
