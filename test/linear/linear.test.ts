import { assert, describe, inject, it } from "vitest"
import { isNestedDeeper } from "../../application/oncall/JsonBody.ts"
import { isLong } from "../support/Long.ts"
import { expressions } from "./Expressions.ts"
import { type Growth, growth, mostGrowth, worst } from "./Growth.ts"
import { type Parser, parsers } from "./Parsers.ts"
import { shapes } from "./Shapes.ts"

const full = inject("full")

/** A text that counts the reads of its characters. */
const counting = (text: string) => {
  const seen = { length: text.length, looks: 0, charCodeAt: (at: number) => (seen.looks++, text.charCodeAt(at)) }
  return seen
}

describe("the depth of a body", () => {
  it.each(shapes)("is told by one look at each character: %s", (_, make) => {
    const text = counting(make(65_536))
    isNestedDeeper(text, 64)
    assert.isAtMost(text.looks, text.length)
  })

  it.each([
    ["[".repeat(64), false],
    ["[".repeat(65), true],
    ['{"a":'.repeat(65), true],
    ["[]".repeat(1000), false],
    [`"${"[".repeat(100)}"`, false],
    [`"\\"${"[".repeat(100)}"`, false],
    [`"\\\\"${"[".repeat(65)}`, true],
    ["]".repeat(3) + "[".repeat(67), false],
    ["]".repeat(3) + "[".repeat(68), true]
  ])("counts brackets outside of strings: %s", (text, isDeeper) =>
    assert.strictEqual(isNestedDeeper(text, 64), isDeeper)
  )
})

/** A share of the shapes for each parser, a different one for each, so that about `about` pairs are tried. */
const pairs = (all: ReadonlyArray<Parser>, about: number) =>
  all.flatMap(([name, work], index) => {
    const count = Math.min(shapes.length, Math.max(1, Math.floor(about / all.length)))
    const turned = [...shapes, ...shapes].slice((index * count) % shapes.length)
    return turned.slice(0, count).map(([shape, make]) => ({ of: `${name}: ${shape}`, make, work }))
  })

/** The short form shows that every parser reads every shape; the long form measures how the time grows. */
const read = async (large: number, all: ReadonlyArray<Parser>) => {
  for (const { make, work } of pairs(all, 60)) await work(make(Math.max(512, large / 512)))
}

const measured = async (large: number, all: ReadonlyArray<Parser>): Promise<ReadonlyArray<Growth>> => {
  const found: Array<Growth> = []
  for (const { make, of, work } of pairs(all, 240)) found.push(await growth(of, large, make, work))
  return found
}

const assertLinear = (found: ReadonlyArray<Growth>): string => {
  const { of, ratio } = worst(found)
  assert.isAtMost(ratio, mostGrowth, of)
  return `${found.length.toLocaleString("en")} measured, eight times as much takes at most ${ratio.toFixed(1)} times as long`
}

describe("reading takes time in proportion to what is read", { timeout: 1_800_000 }, () => {
  it.for(parsers)("%s", async ([, large, all], { task }) => {
    if (full) task.meta.figures = assertLinear(await measured(large, all))
    else await read(large, all)
  })

  it("every regular expression in the sources", async ({ task }) => {
    assert.isAbove(expressions.length, isLong ? 80 : 0)
    const found: Array<Growth> = []
    for (const { expression, fillers, of, starts } of expressions)
      for (const start of starts)
        for (const filler of fillers) {
          const make = (size: number) => `${start}${filler.repeat(Math.ceil(size / filler.length))}\u0001x`
          const work = (text: string) => text.replace(expression, "")
          if (full) found.push(await growth(`${of}: ${JSON.stringify(start + filler)}…`, 524_288, make, work))
          else work(make(1024))
        }
    if (full) task.meta.figures = assertLinear(found)
  })
})
