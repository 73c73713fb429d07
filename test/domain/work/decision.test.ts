import { assert, describe, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { Action, actions, Decision, Kind } from "../../../domain/work/Decision.ts"

const decode = Schema.decodeUnknownEither(Decision)
const option = (id: string, action: string, recommended = false) => ({ id, label: id, action, recommended })
const base = {
  key: "dec-aaaa",
  kind: "plan_approval",
  authority: "member",
  title: "Plan?",
  body: "",
  status: "pending",
  recommendation: "a",
  options: [option("a", "approve_plan", true), option("b", "reject")],
  team: "payments",
  story: null,
  runKey: null,
  resolution: null,
  resolvedVia: null,
  resolvedAt: null,
  expiresAt: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  subject: null,
  resolvedBy: null
}

describe("a decision", () => {
  it("offers what its kind allows, and nothing else", () => {
    for (const kind of Kind.literals)
      for (const action of Action.literals) {
        const other = actions[kind].find((one) => one !== action) ?? action
        const options = [option("a", action, true), option("b", other)]
        assert.strictEqual(
          Either.isRight(decode({ ...base, kind, options })),
          actions[kind].includes(action),
          `${kind} ${action}`
        )
      }
  })

  it("every action belongs to a kind", () => {
    assert.deepStrictEqual(new Set(Object.values(actions).flat()), new Set(Action.literals))
  })

  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => option(`o${index}`, "reject", index === 0))
  it.each([0, 1, 2, 3, 4, 5])("with %i options", (count) =>
    assert.strictEqual(
      Either.isRight(decode({ ...base, recommendation: "o0", options: many(count) })),
      count >= 2 && count <= 4
    )
  )

  it.each([
    ["two options of one id", { options: [option("a", "approve_plan", true), option("a", "reject")] }],
    ["a recommendation that is no option", { recommendation: "z" }],
    ["two recommended options", { options: [option("a", "approve_plan", true), option("b", "reject", true)] }],
    ["no recommended option", { options: [option("a", "approve_plan"), option("b", "reject")] }],
    ["an answer while it is pending", { resolution: { optionId: "a", note: null } }],
    ["an answer that is no option", { status: "resolved", resolution: { optionId: "z", note: null } }],
    ["an unknown kind", { kind: "guess" }],
    ["NUL in its body", { body: "a\u0000b" }],
    ["half a surrogate pair in its title", { title: "\ud800" }]
  ])("cannot have %s", (_, change) => assert.isTrue(Either.isLeft(decode({ ...base, ...change }))))

  it("can be resolved", () =>
    assert.isTrue(Either.isRight(decode({ ...base, status: "resolved", resolution: { optionId: "b", note: "no" } }))))
})
