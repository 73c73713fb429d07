import { assert, it } from "vitest"
import { failures } from "./Suite.ts"

const test = (status: string, failureMessages: ReadonlyArray<string> = []) => ({
  fullName: `a test that ${status}`,
  status,
  failureMessages
})

it("a report names every failure with its finding, of a test or of a whole file", () => {
  const finding = 'Request 20657 of seed 803244340: ends the connection without an answer\nsent "PUT /signals/%00"'
  assert.deepStrictEqual(
    failures({
      testResults: [
        { name: "a.test.ts", status: "passed", assertionResults: [test("passed")] },
        { name: "b.test.ts", status: "failed", assertionResults: [test("passed"), test("failed", [finding])] },
        { name: "c.test.ts", status: "failed", message: "Cannot find module", assertionResults: [] }
      ]
    }),
    [`failed: a test that failed\n${finding}`, "failed: c.test.ts\nCannot find module"]
  )
})
