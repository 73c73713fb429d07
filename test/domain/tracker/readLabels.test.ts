import { assert, describe, it } from "vitest"
import { readLabels } from "../../../domain/tracker/ReadLabels.ts"

describe("size and class of service", () => {
  it.each([
    [[], null, "standard"],
    [["bug", "size"], null, "standard"],
    [["size/XL"], "xl", "standard"],
    [["Size: small"], "s", "standard"],
    [["effort-m"], "m", "standard"],
    [["size/XXL", "size/S"], "xl", "standard"],
    [["size/S", "size/L", "size/XS"], "l", "standard"],
    [["size/constructor"], null, "standard"],
    [["s", "small"], null, "standard"],
    [["expedite"], null, "expedite"],
    [["class: fixed date", "intangible"], null, "fixed_date"],
    [["Class of Service / Expedite", "fixed-date"], null, "expedite"],
    [["intangible", "standard"], null, "intangible"],
    [["", "🔥"], null, "standard"]
  ] as const)("%j", (labels, size, classOfService) =>
    assert.deepStrictEqual(readLabels(labels), { size, classOfService })
  )

  it("by the words of the team", () => {
    const meanings = {
      sizes: { "T-shirt: 3": "m" },
      classes: { "🔥 hotfix": "expedite", standard: "intangible" }
    } as const
    assert.deepStrictEqual(readLabels(["t-shirt 3", "Hotfix"], meanings), { size: "m", classOfService: "expedite" })
    assert.deepStrictEqual(readLabels(["standard", "size/s"], meanings), { size: "s", classOfService: "intangible" })
  })
})
