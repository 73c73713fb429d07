import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { parse } from "../../adapters/runner/attempt/Gates.ts"
import { criteriaOf } from "../../adapters/runner/attempt/Verify.ts"

const read = (value: unknown) =>
  Effect.runSync(Effect.either(parse(typeof value === "string" ? value : JSON.stringify(value))))

it("gates, acceptance and demonstration are read", () => {
  const gates = Either.getOrThrow(
    read({
      gates: [{ name: "test", command: ["npm", "test"], timeoutSeconds: 60 }],
      acceptance: { command: ["./check"] },
      demonstrate: { command: ["./show"] }
    })
  )
  assert.deepInclude(gates, { acceptance: ["./check"], demonstrate: ["./show"] })
  assert.deepStrictEqual(gates.gates, [{ name: "test", command: ["npm", "test"], timeoutSeconds: 60 }])
  assert.include(Either.getOrThrow(read({})).remark, "names no gates")
})

describe("a file that is wrong is refused with the path", () => {
  it.each([
    ["{", "is not JSON"],
    [{ gate: [] }, "gate: "],
    [{ gates: [{ name: "test", comand: ["x"], command: ["x"] }] }, "gates[0].comand: "],
    [{ gates: [{ name: "test" }] }, "gates[0].command: "],
    [{ gates: [{ name: "test", command: [] }] }, "gates[0].command"],
    [{ gates: [{ name: "test", command: "npm test" }] }, "gates[0].command: "],
    [{ gates: [{ name: "", command: ["x"] }] }, "gates[0].name: "],
    [{ gates: [{ name: "a", command: ["x"], timeoutSeconds: 0 }] }, "gates[0].timeoutSeconds: "],
    [{ gates: [{ name: "a", command: ["x\0y"] }] }, "gates[0].command[0]: "],
    [{ acceptance: { command: ["x"], timeoutSeconds: 3 } }, "acceptance.timeoutSeconds: "],
    [{ demonstrate: {} }, "demonstrate.command: "]
  ])("%j", (value, part) => {
    const found = read(value)
    assert.isTrue(Either.isLeft(found))
    if (Either.isLeft(found)) assert.include(found.left.message, part === "is not JSON" ? "cannot be read" : part)
  })
})

it("a check named after a criterion judges it; the others have the result of all", () => {
  const criteria = ["ac-1", "ac-2", "ac-3"].map((id) => ({ id }))
  const checks = [
    { name: ".kanman/acceptance/PAY-1/ac-1.sh", isPassed: true },
    { name: ".kanman/acceptance/PAY-1/ac-2", isPassed: false },
    { name: ".kanman/acceptance/PAY-1/ac-22", isPassed: true }
  ]
  assert.deepStrictEqual(
    criteriaOf(criteria, checks).map(({ status }) => status),
    ["passed", "failed", "failed"]
  )
  assert.deepStrictEqual(
    criteriaOf(criteria, null).map(({ status }) => status),
    ["skipped", "skipped", "skipped"]
  )
})
