import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/Memory.ts"
import * as MemoryState from "../../../adapters/memory/MemoryState.ts"
import { AuditLog } from "../../../application/ports/AuditLog.ts"
import type { AuditEntry } from "../../../domain/workspace/Audit.ts"
import { assert } from "vitest"
import { Role } from "../../../domain/workspace/Member.ts"
import { arrange } from "../../application/house.ts"
import * as People from "../../support/People.ts"
import * as Seed from "../../support/Seed.ts"
import { type Answer, ask, start, type World } from "../../support/World.ts"
import { memoryKeeper } from "../../twins/MemoryKeeper.ts"

export type Place = Effect.Effect.Success<typeof arranged>

/** A workspace with an object for every tool, and a token of each role. */
export const arranged = Effect.gen(function* () {
  const place = yield* arrange
  const made = yield* Effect.forEach(Role.literals, (role) =>
    Seed.token(place.slug, ["read", "write"], People.emailOf(role))
  )
  const [member, admin, owner] = made.map(({ value }) => value)
  const bearers: Readonly<Record<Role, string>> = { member: member ?? "", admin: admin ?? "", owner: owner ?? "" }
  return { ...place, bearers }
})

/** The service in memory with that workspace; `restore` puts every row back as `save` found it. */
export const open = async (settings: Readonly<Record<string, string>> = {}) => {
  const world = await start(Layer.merge(Memory.layer, MemoryState.layer), settings)
  const keeper = memoryKeeper(await world.run(MemoryState.State as never))
  const place = await world.run(arranged)
  await keeper.save()
  return { world, place, restore: keeper.restore, save: keeper.save }
}

export type House = Awaited<ReturnType<typeof open>>

/** Entries of the audit log, newest first. */
export const entries = async (
  world: World,
  { id }: Pick<Place, "id">
): Promise<ReadonlyArray<typeof AuditEntry.Encoded>> =>
  JSON.parse(
    (
      await world.run(
        Effect.flatMap(AuditLog, (log) => Effect.orDie(log.page(id, Seed.anyEntry, { limit: 100, before: null })))
      )
    ).items
  )

export const metaOf = (version: string) => ({
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientCapabilities": {}
})

export const revisions = ["2026-07-28", "2025-11-25", "2025-06-18"] as const
export type Revision = (typeof revisions)[number]

/** One request as a client of a revision sends it, and the message in the response. */
export const rpc = async (
  url: string,
  token: string | undefined,
  method: string,
  params: Record<string, unknown> = {},
  { headers = {}, revision = "2026-07-28" as Revision } = {}
  // oxlint-disable-next-line typescript/no-explicit-any
): Promise<Answer & { readonly message: any }> => {
  const isModern = revision === "2026-07-28"
  const name = params["name"] ?? params["uri"]
  const answer = await ask(url, "/mcp", {
    method: "POST",
    ...(token !== undefined && { token }),
    headers: {
      ...json,
      "mcp-protocol-version": revision,
      ...(isModern && { "mcp-method": method, ...(typeof name === "string" && { "mcp-name": name }) }),
      ...headers
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { ...params, ...(isModern && { _meta: metaOf(revision) }) }
    })
  })
  const data = /^data: (.*)$/m.exec(answer.text)?.[1]
  return { ...answer, message: answer.body ?? (data === undefined ? undefined : JSON.parse(data)) }
}

/** The result of a tool; a refusal has its text and `isError`. */
export const call = async (
  url: string,
  token: string,
  name: string,
  given: Record<string, unknown>,
  revision: Revision = "2026-07-28"
) => {
  const { message, text } = await rpc(url, token, "tools/call", { name, arguments: given }, { revision })
  if (message?.result === undefined) throw new Error(`no result of ${name}: ${text}`)
  return {
    isError: message.result.isError === true,
    text: message.result.content[0].text as string,
    value: message.result.structuredContent
  }
}

/** Headers of every request. */
export const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }

/** A refusal before the protocol begins, in the form of all errors. */
export const assertRefused = ({ body, headers, status, text }: Answer, expected: number, code: string) => {
  assert.deepStrictEqual([status, body?.error?.code], [expected, code], text)
  assert.deepStrictEqual(Object.keys(body.error), ["code", "message"])
  assert.strictEqual(headers["x-ratelimit-limit"], "300")
  assert.strictEqual(headers["cache-control"], "no-store")
}
