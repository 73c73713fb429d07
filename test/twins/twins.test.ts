import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { isLong } from "../support/Long.ts"
import { turns } from "../support/Share.ts"
import * as Everything from "./Everything.ts"
import { asOriginal, before, type Before, lasting, play, type Seen } from "./Seen.ts"
import { onMemory, onPostgres, type Stage } from "./Stage.ts"
import { settled } from "./Told.ts"

/** The share of today, and the case that a test below names. */
const share = new Set(turns(Everything.cases, 28))
const cases = Everything.cases.filter((one) => share.has(one) || one.name === "TokenStore.authenticate")
const asked = cases.filter((one) => Everything.asked.includes(one))

/** A copied log is invalid, since each entry is bound to its content. */
const atOnce = asked.filter(({ name }) => name !== "AuditLog.verify")

const open: Readonly<Record<string, () => Promise<Stage>>> = { memory: onMemory, postgres: onPostgres }

describe.each(Object.keys(open))("twins (%s)", (adapter) => {
  let stage: Stage
  let was: Before
  let twin: ReturnType<Stage["twin"]>
  let theirs: ReadonlyArray<string>
  const alone = new Map<string, Seen>()

  beforeAll(async () => {
    stage = await (open[adapter] ?? onMemory)()
    const { keeper } = stage
    was = await before(stage)
    await keeper.save()
    for (const one of cases) alone.set(one.name, await play(stage, one, []))
    await keeper.restore()
    twin = stage.twin("birch")
    await keeper.add(twin.of, twin)
    await keeper.save()
    theirs = (await keeper.look()).get(twin.id) ?? []
  })
  afterAll(() => stage?.close())

  /** Texts that contain a mark of the twin. */
  const foreign = (texts: ReadonlyArray<string>) =>
    texts.filter((text) => [twin.word, twin.id, twin.bearerHash].some((mark) => text.includes(mark)))

  it.each(cases.map((one) => [one.name, one] as const))("%s", async (name, one) => {
    const lone = alone.get(name) ?? assert.fail("it was not played alone")
    const seen = await play(stage, one, [twin])
    assert.notMatch(lone.result, /died \[[^\]]/)
    assert.deepStrictEqual(foreign([seen.result, ...seen.rows]), [])
    const rows = (texts: ReadonlyArray<string>) => lasting(texts, was, one)
    assert.deepStrictEqual(rows(seen.rows), rows(lone.rows))
    if (one.twins === "held") assert.deepStrictEqual(rows([seen.result]), rows([lone.result]))
    const [after = []] = seen.twins
    if (one.twins === "held") assert.deepStrictEqual([...after].sort(), [...theirs].sort())
    if (one.twins === "alike") assert.deepStrictEqual(rows(asOriginal(after, twin)), rows(seen.rows))
  })

  it.each(atOnce.map((one) => [one.name, one] as const))("%s, both at once", async (name, one) => {
    const lone = alone.get(name) ?? assert.fail("it was not played alone")
    await stage.keeper.restore()
    const [ours, others] = await stage.performBoth(one, twin)
    const after = await stage.keeper.look()
    assert.deepStrictEqual(foreign([ours]), [])
    const plain = (texts: ReadonlyArray<string>) =>
      lasting(texts, was, { ...one, twins: "alike" }).map((text) => text.replace(/"next":"-?\d+"/, '"next"'))
    assert.deepStrictEqual(plain(asOriginal([others], twin)), plain([ours]))
    const [mine, theirs] = [after.get(stage.at.id) ?? [], after.get(twin.id) ?? []]
    assert.deepStrictEqual(plain(mine), plain(lone.rows))
    assert.deepStrictEqual(plain(asOriginal(theirs, twin)), plain(lone.rows))
  })

  it("what is told of the other would be seen", async () => {
    await stage.keeper.restore()
    const told = []
    for (const one of asked) told.push(...foreign([await stage.perform(one, twin)]))
    await stage.keeper.look()
    // A share of one day may hold few cases that read texts.
    assert.isAtLeast(told.length, isLong ? asked.length / 3 : 1)
  })

  it("requests of both are counted apart", async () => {
    const one = cases.find(({ name }) => name === "TokenStore.authenticate") ?? assert.fail("it is not played")
    /** The twin's fourth answer, concurrent with the original's first or alone. */
    const fourth = async <A>(ask: () => Promise<A>) => {
      await stage.keeper.restore()
      for (const _ of [1, 2, 3]) await stage.perform(one, twin)
      const answer = await ask()
      await stage.keeper.look()
      return answer
    }
    const lone = await fourth(() => stage.perform(one, twin))
    const both = await fourth(() => stage.performBoth(one, twin))
    const plain = (text = "") => settled(text, was.ids)
    assert.deepStrictEqual(both.map(plain), [alone.get(one.name)?.result, lone].map(plain))
  })
})
