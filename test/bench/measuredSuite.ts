import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Answering from "./Answering.ts"
import * as Reading from "./Reading.ts"
import * as Receiving from "./Receiving.ts"
import type { Side } from "./Transcript.ts"
import { turns } from "../support/Share.ts"

const scripts: Readonly<Record<string, (side: Side) => Promise<ReadonlyArray<unknown>>>> = {
  "reads teams, runs and decisions": Reading.reads,
  "refuses reads": Reading.refusals,
  "counts the requests of a token": Reading.limits,
  "answers decisions": Answering.answers,
  "lets one of ten answers win": Answering.race,
  "shows and exports the audit log": Answering.log,
  "takes in alerts": Receiving.deliveries,
  "takes in a storm": Receiving.storm,
  "refuses deliveries": Receiving.unproven
}

/** Promises of the measured routes; `ours` holds the first side's answers, which the others must repeat. */
export const measuredSuite = (name: string, open: () => Promise<Side>, ours: Map<string, ReadonlyArray<unknown>>) =>
  describe(`measured routes (${name})`, () => {
    let side: Side
    beforeAll(async () => {
      side = await open()
    })
    afterAll(() => side?.close())

    for (const [title, script] of turns(Object.entries(scripts)))
      it(title, async () => {
        const said = await script(side)
        const expected = ours.get(title)
        if (expected === undefined) return void ours.set(title, said)
        for (const [index, line] of said.entries()) assert.deepStrictEqual(line, expected[index])
        assert.strictEqual(said.length, expected.length)
      })
  })
