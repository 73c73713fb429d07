import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { type By, bySystem } from "../../../domain/workspace/Actor.ts"
import type { TokenId } from "../../../domain/workspace/ApiToken.ts"
import { question, type RaiseContext } from "../../../domain/work/RaiseDecision.ts"
import { answerForAgent } from "../../../domain/work/ResolveDecision.ts"
import { RunStatus } from "../../../domain/work/Run.ts"
import { isOver } from "../../../domain/work/RunTransitions.ts"
import { refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"

const token = "11111111-1111-4111-8111-111111111111" as TokenId
const agent: By = { ...Sample.ana, channel: "mcp", token }
const asking = (at: Partial<RaiseContext>, text = "Which tax rate?") => question(agent, text)(Sample.raising(at))

describe("a question of an agent", () => {
  it.each(RunStatus.literals)("about a run that is %s", (status) => {
    const run = Sample.run(status)
    const decided = asking({ run })
    if (isOver(status)) return assert.strictEqual(refusal(decided), "RunOver")
    const { change, result: answer } = success(decided)
    assert.deepStrictEqual(
      [answer.kind, answer.status, answer.runKey, answer.body, answer.askedBy],
      ["clarification", "pending", run.key, "Which tax rate?", token]
    )
    const [after] = change.changed?.runs ?? []
    assert.strictEqual(after?.latest.status, status === "running" ? "waiting" : undefined)
  })

  it("may be about a story without a run", () => {
    const { result: answer } = success(asking({ run: null }))
    assert.deepStrictEqual([answer.runKey, answer.story], [null, "PAY-1"])
    assert.deepStrictEqual(
      answer.options.map(({ label }) => label),
      ["Answer", "Abandon the story"]
    )
  })

  it("is the same decision when it is asked again, and another one about a run or in other words", () => {
    const run = Sample.run("waiting")
    const { result: pending } = success(asking({ run }))
    const again = asking({ run, pending: [pending] })
    assert.deepInclude(Either.isLeft(again) ? again.left : {}, { _tag: "AskedAlready", decision: pending.key })
    assert.isTrue(Either.isRight(asking({ run, pending: [pending] }, "Which currency?")))
    assert.isTrue(Either.isRight(asking({ run: null, pending: [pending] })))
  })
})

describe("an answer of an agent", () => {
  const asked = Sample.decision("clarification", "answer", { askedBy: token })
  const answering = (by: By, decision = asked) =>
    answerForAgent(
      { by, role: "member", channel: "mcp", optionId: "answer", note: "19" },
      bySystem
    )(Sample.matter(decision))

  it("is refused for a question of its own token, and that is recorded", () => {
    const decided = answering(agent)
    assert.strictEqual(refusal(decided), "OwnQuestion")
    const { audit, changed } = Either.getOrThrow(decided).change
    assert.deepStrictEqual(
      audit.map(({ details, event, result }) => [event, result, details["channel"]]),
      [["access_denied", "denied", "mcp"]]
    )
    assert.isUndefined(changed)
  })

  it("counts for a question of another token, of a person, and without a token", () => {
    const other = "22222222-2222-4222-8222-222222222222" as TokenId
    const { token: _, ...nobody } = agent
    for (const decided of [
      answering({ ...agent, token: other }),
      answering(agent, Sample.decision("clarification", "answer")),
      answering(nobody, Sample.decision("clarification", "answer"))
    ])
      assert.deepInclude(success(decided).result.decision, { status: "resolved", resolvedVia: "mcp" })
  })
})
