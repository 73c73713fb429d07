import { Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryState from "../../adapters/memory/MemoryState.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { calls } from "../http/mcp/Calls.ts"
import { rpc } from "../http/mcp/House.ts"
import { reads } from "../http/routes.ts"
import { isLong } from "../support/Long.ts"
import { turns } from "../support/Share.ts"
import * as OnCall from "../support/OnCall.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { type Answer, ask, start, type World } from "../support/World.ts"
import { browser as browserOf } from "../web/Visiting.ts"
import { session } from "../support/Sessions.ts"
import { hashed } from "./Asking.ts"
import type { Keeper, Kept } from "./Keeper.ts"
import type { Twin } from "./Marking.ts"
import { another } from "./Marking.ts"
import { memoryKeeper } from "./MemoryKeeper.ts"
import * as Original from "./Original.ts"
import { pgKeeper } from "./PgKeeper.ts"
import { type Asked, boardOf, type Call, routes } from "./Routes.ts"
import { asOriginal } from "./Seen.ts"
import { keyless, keysIn, settled } from "./Told.ts"
import { comparable, pageCalls, type Shown, timeless, type Visited } from "./PageCalls.ts"

/** Compares two answers; a page is too long to print, so only the surroundings of the first difference are. */
const assertAlike = (one: string, other: string) => {
  if (one === other) return
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  const around = (text: string) => text.slice(Math.max(at - 120, 0), at + 120)
  assert.strictEqual(around(one), around(other))
}

const open: Readonly<Record<string, () => Promise<{ readonly world: World; readonly keeper: Keeper }>>> = {
  memory: async () => {
    const world = await start(Layer.merge(Memory.layer, MemoryState.layer))
    return { world, keeper: memoryKeeper(await world.run(MemoryState.State as never)) }
  },
  postgres: async () => {
    const { layer, url } = await Effect.runPromise(TestPostgres.addressed)
    return { world: await start(layer), keeper: await pgKeeper(url) }
  }
}

describe.each(isLong ? Object.keys(open) : ["postgres"])("twins over HTTP (%s)", (adapter) => {
  let [world, keeper]: [World, Keeper] = [undefined as never, undefined as never]
  let at: Original.Original
  let of: Kept
  let twin: Twin
  let sessions: { readonly mine: string; readonly theirs: string }
  let shown: Shown
  let [mine, theirs]: [Asked, Asked] = [undefined as never, undefined as never]

  beforeAll(async () => {
    const opened = await open[adapter]?.()
    if (opened === undefined) assert.fail("no such adapter")
    world = opened.world
    keeper = opened.keeper
    at = await world.run(Original.make)
    of = { id: at.id, slug: at.slug, bearerHash: hashed(at) }
    const bearer = `tk_${"birch".padEnd(32, "0")}`
    const id = "00000000-0000-4000-8000-0000000b12c4"
    twin = { id, slug: `${at.slug}-birch`, word: "birch", bearer, bearerHash: hashed({ bearer }) }
    await keeper.add(of, twin)
    sessions = {
      mine: await world.run(session(at.slug, "owner")),
      theirs: await world.run(session(twin.slug as WorkspaceSlug, "owner"))
    }
    await keeper.save()
    const [notification] = await world.run(OnCall.inboxOf(at.id, at.people.owner.member.id))
    shown = {
      incident: at.onCall.incidents.open,
      acknowledged: at.onCall.incidents.acknowledged,
      member: at.people.member.member.id,
      notification: (JSON.parse(notification ?? "{}") as { readonly id: string }).id,
      prefix: at.bearer.slice(0, 11),
      runner: at.forge.runner,
      service: at.onCall.source.services[0] ?? "",
      source: at.onCall.source.id,
      delivery: at.onCall.delivery,
      connection: at.connection.id
    }
    const board = boardOf((await keeper.look()).get(at.id) ?? [])
    mine = { board, source: at.onCall.source.token }
    theirs = { board, source: another(mine.source, twin).slice(0, 32) }
  })
  afterAll(async () => {
    await keeper?.close()
    await world?.close()
  })

  const asMine = (call: Call) => ask(world.url, call.path, { ...call, token: at.bearer })
  const asTheirs = (call: Call) => ask(world.url, call.path, { ...call, token: twin.bearer })

  const visit = async (session: string, slug: string, { form, path }: Visited) => {
    const browser = browserOf(world.url, `gatehouse=${session}`)
    const address = `/${slug}/${path}`
    return form === undefined
      ? browser.get(address)
      : browser.post(address, Object.fromEntries(new URLSearchParams(form)))
  }

  const said = ({ headers, status, text }: Answer) =>
    `${status} ${text} ${headers["etag"] === undefined ? "" : "with an ETag"} ${headers["content-disposition"] ?? ""}`

  const assertOwn = (answer: Answer) => {
    const whole = `${said(answer)} ${JSON.stringify(answer.headers)}`
    for (const mark of [twin.word, twin.id, twin.bearerHash]) assert.notInclude(whole, mark)
  }

  /** Without the last uses of its tokens, which are written up to a minute later. */
  const rowsOfTwin = async () =>
    ((await keeper.look()).get(twin.id) ?? [])
      .map((row) => row.replace(/"last_?used_?at":("[^"]*"|null)/i, '"lastUsedAt"'))
      .toSorted()

  it.each(turns(Object.keys(routes)))("%s tells and changes nothing of the other", async (route) => {
    await keeper.restore()
    const before = await rowsOfTwin()
    for (const call of routes[route]?.(mine) ?? []) assertOwn(await asMine(call))
    assert.deepStrictEqual(await rowsOfTwin(), before)
  })

  it.each(turns(Object.keys(routes)))("%s answers both at once, each its own", async (route) => {
    await keeper.restore()
    const [ours, others] = [routes[route]?.(mine) ?? [], routes[route]?.(theirs) ?? []]
    const plain = (text: string) => settled(text, new Set()).replace(/"nextCursor":"[^"]+"/, '"nextCursor"')
    for (const [index, call] of ours.entries()) {
      const [answer, other] = await Promise.all([asMine(call), asTheirs(others[index] ?? call)])
      assertOwn(answer)
      const [told = ""] = asOriginal([said(other)], { ...twin, of })
      assertAlike(plain(told), plain(said(answer)))
    }
    await keeper.look()
  })

  const callBy = (bearer: string, tool: string) => {
    const { given } = calls[tool] ?? assert.fail("no such tool")
    return rpc(world.url, bearer, "tools/call", { name: tool, arguments: given(at, "owner") })
  }

  it.each(turns(Object.keys(calls)))("the tool %s tells and changes nothing of the other", async (tool) => {
    await keeper.restore()
    const before = await rowsOfTwin()
    for (let turn = 0; turn < 2; turn++) assertOwn(await callBy(at.bearer, tool))
    assert.deepStrictEqual(await rowsOfTwin(), before)
  })

  it.each(turns(Object.keys(calls)))("the tool %s answers both at once, each its own", async (tool) => {
    await keeper.restore()
    const known = keysIn([...(await keeper.look()).values()].flat())
    const plain = (text: string) =>
      keyless(settled(text, new Set()), known).replace(/\\?"nextCursor\\?":\\?"[^"]+"/g, '"nextCursor"')
    const [answer, other] = await Promise.all([callBy(at.bearer, tool), callBy(twin.bearer, tool)])
    assertOwn(answer)
    const [theirs = ""] = asOriginal([said(other)], { ...twin, of })
    assertAlike(plain(theirs), plain(said(answer)))
    await keeper.look()
  })

  it.each(turns(Object.keys(pageCalls)))("the page %s shows and changes nothing of the other", async (page) => {
    await keeper.restore()
    const before = await rowsOfTwin()
    for (const one of pageCalls[page]?.(shown) ?? []) assertOwn(await visit(sessions.mine, at.slug, one))
    assert.deepStrictEqual(await rowsOfTwin(), before)
  })

  it.each(turns(comparable))("the page %s answers both at once, each its own", async (page) => {
    await keeper.restore()
    const plain = (text: string) => timeless(settled(text, new Set()))
    for (const one of pageCalls[page]?.(shown) ?? []) {
      const [answer, other] = await Promise.all([
        visit(sessions.mine, at.slug, one),
        visit(sessions.theirs, twin.slug, one)
      ])
      assertOwn(answer)
      const [theirs = ""] = asOriginal([said(other)], { ...twin, of })
      assertAlike(plain(theirs), plain(said(answer)))
    }
    await keeper.look()
  })

  it("a session of the one opens no page of the other", async () => {
    for (const one of [{ path: "decisions" }, { path: `incidents/${shown.incident}/note`, form: "note=Mine" }])
      assert.strictEqual((await visit(sessions.mine, twin.slug, one)).status, 404)
  })

  it("a cursor of the one is of no use to the other", async () => {
    for (const { path: list } of reads.filter(({ isPaged }) => isPaged)) {
      const path = `${list}?limit=1`
      const cursor = (await asMine({ path })).body.nextCursor as string
      assert.strictEqual((await asMine({ path: `${path}&cursor=${cursor}` })).status, 200)
      assert.strictEqual((await asTheirs({ path: `${path}&cursor=${cursor}` })).body.error.code, "invalid_cursor")
    }
  })
})
