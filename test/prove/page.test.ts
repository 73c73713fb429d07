import { assert, describe, it } from "vitest"
import { proofsOf } from "./Claims.ts"
import { rowsOf } from "./Page.ts"
import { failures, type Report, tally } from "./Suite.ts"

const test = (fullName: string, status: string) => ({
  fullName,
  status,
  duration: 1500,
  ...(status === "failed" && { failureMessages: ["AssertionError: expected 500 to equal 200"] })
})

const report: Report = {
  testResults: [
    { name: "/test/good.test.ts", status: "passed", assertionResults: [test("one", "passed"), test("two", "passed")] },
    { name: "/test/bad.test.ts", status: "failed", assertionResults: [test("one", "passed"), test("two", "failed")] },
    { name: "/test/idle.test.ts", status: "passed", assertionResults: [test("one", "passed"), test("two", "skipped")] },
    { name: "/test/gone.test.ts", status: "failed", message: "no such import", assertionResults: [] }
  ]
}
const files = report.testResults.map(({ name }) => name)
const of = (file: RegExp, name?: RegExp) => tally(report, file, name, files)

describe("a row of the proofs", () => {
  it.each([
    ["all passed", /good/, true, "2 of 2 passed in 3.0 s"],
    ["a test failed", /bad/, false, "1 of 2 passed in 3.0 s"],
    ["a test was skipped", /idle/, false, "1 of 2 passed in 3.0 s; 1 skipped"],
    ["a file did not load", /gone/, false, "0 of 0 passed in 0.0 s; gone.test.ts did not load"],
    ["a file beside good ones did not load", /good|gone/, false, "2 of 2 passed in 3.0 s; gone.test.ts did not load"]
  ])("where %s", (_, file, isGreen, figures) => assert.deepStrictEqual(of(file), { isGreen, figures }))

  it("is not measured when one of its files did not run", () =>
    assert.isNull(tally(report, /good|new/, /./, [...files, "/test/new.test.ts"])))

  it("that no test belongs to is a mistake", () => assert.throws(() => of(/good/, /three/), "no test matches"))

  it("that no file belongs to is a mistake, and the page has none", () => {
    assert.throws(() => of(/three/), "no file matches")
    for (const { tallies } of proofsOf({ testResults: [] }, [null])) for (const one of tallies) assert.isNull(one)
  })

  it("is replaced with the present commit, red where a test failed, and kept with its own commit otherwise", () => {
    const page = "| Kept | old figures | aaa1111 |\n| Good | old figures | aaa1111 |\n| Renewed twice | x | bbb2222 † |"
    const proofs = [
      { claim: "Good", tallies: [of(/good/)] },
      { claim: "Bad", tallies: [of(/good/), of(/bad/)] },
      { claim: "Kept", tallies: [null] },
      { claim: "Renewed twice", tallies: [of(/good/), null] },
      { claim: "New", tallies: [null] }
    ]
    assert.deepStrictEqual(rowsOf(proofs, page, "bbb2222"), [
      "| Good | 2 of 2 passed in 3.0 s | bbb2222 |",
      "| Bad | **FAILED** 2 of 2 passed in 3.0 s<br>1 of 2 passed in 3.0 s | bbb2222 |",
      "| Kept | old figures | aaa1111 † |",
      "| Renewed twice | x | bbb2222 |",
      "| New | not measured yet | – |"
    ])
  })

  it("names every failure with its message", () =>
    assert.deepStrictEqual(failures(report), [
      "failed: two\nAssertionError: expected 500 to equal 200",
      "skipped: two",
      "/test/gone.test.ts did not load: no such import"
    ]))
})
