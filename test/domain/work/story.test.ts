import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { parseKey, readiness } from "../../../domain/work/Story.ts"

describe("readiness", () => {
  const none = { description: null, acceptanceCriteria: [], demonstrate: [] }
  const full = { description: "Why", acceptanceCriteria: [{}], demonstrate: ["Show it"] }

  it.each([
    ["nothing", none, 0],
    ["a description only", { ...none, description: "Why" }, 40],
    ["a blank description", { ...full, description: " \n" }, 60],
    ["no criterion", { ...full, acceptanceCriteria: [] }, 70],
    ["no Demonstrate step", { ...full, demonstrate: [] }, 70],
    ["all three", full, 100]
  ])("of %s", (_, story, score) => assert.strictEqual(readiness(story), score))

  it("is 100 only with a description, a criterion and a Demonstrate step", () => {
    for (const description of [null, "", "Why"])
      for (const acceptanceCriteria of [[], [{}]])
        for (const demonstrate of [[], [{}]])
          assert.strictEqual(
            readiness({ description, acceptanceCriteria, demonstrate }) === 100,
            description === "Why" && acceptanceCriteria.length > 0 && demonstrate.length > 0
          )
  })
})

describe("story keys", () => {
  it.each(["PAY-1", "pay-12", "P2-999999999", "A-1"])("%s is one", (text) =>
    assert.deepStrictEqual(parseKey(text), Option.some(text.toUpperCase()))
  )
  it.each([
    "",
    "PAY",
    "PAY-",
    "PAY-0",
    "PAY-01",
    "-1",
    "2PAY-1",
    "PAY-1000000000",
    "PAY-1 ",
    "PAY_1",
    "PAY-1\n",
    "PÄY-1"
  ])("'%s' is none", (text) => assert.isTrue(Option.isNone(parseKey(text))))
})
