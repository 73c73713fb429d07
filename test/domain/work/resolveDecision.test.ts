import { assert, describe, it } from "@effect/vitest"
import { DateTime, Either, Schema } from "effect"
import { bySystem, type Channel } from "../../../domain/workspace/Actor.ts"
import { answer, checkNote, type Command, type DecisionContext } from "../../../domain/work/ResolveDecision.ts"
import { close, Decision, Note } from "../../../domain/work/Decision.ts"
import { Role } from "../../../domain/workspace/Member.ts"
import * as Sample from "../Sample.ts"

const { matter, now } = Sample
const asked = Sample.decision("plan_approval", "approve_plan")
const command: Command = { by: Sample.ana, role: "member", channel: "slack", optionId: "approve_plan", note: null }
const answering = (at: DecisionContext, more: Partial<Command> = {}) => answer({ ...command, ...more }, bySystem)(at)

/** The refusal, and the change committed in spite of it. */
const refusal = (at: DecisionContext, more: Partial<Command> = {}) => {
  const decided = answering(at, more)
  const end = Either.flatMap(decided, (one) => one.answer)
  const change = Either.isRight(decided) ? decided.right.change : null
  return { error: Either.isLeft(end) ? end.left : null, change }
}

const resolved = new Decision({
  ...asked,
  status: "resolved",
  resolution: { optionId: "request_changes", note: "No" },
  resolvedVia: "app",
  resolvedAt: DateTime.unsafeMake("2026-03-02T09:59:58.765Z"),
  resolvedBy: "Ben"
})
const finals = [
  [
    "DecisionAlreadyResolved",
    resolved,
    "dec-aaaa was answered already by Ben at 2026-03-02T09:59:58.765Z via app with 'Do request_changes'. The first answer stands."
  ],
  [
    "DecisionExpired",
    close(asked, "expired"),
    "dec-aaaa expired at 2026-03-05T10:00:00.000Z without an answer. Retry its run to be asked again."
  ],
  [
    "DecisionCancelled",
    close(asked, "cancelled"),
    "dec-aaaa was cancelled: its run ended or its story left. There is nothing to answer any more."
  ],
  [
    "DecisionSuperseded",
    close(asked, "superseded"),
    "dec-aaaa was superseded by a newer decision of the same kind; answer that one. The run lists it."
  ]
] as const

describe("an answer is refused", () => {
  it("below the authority of the decision, which is on record; nothing else changes", () => {
    for (const authority of Role.literals)
      for (const role of Role.literals) {
        const { change, error } = refusal(matter(new Decision({ ...asked, authority })), { role })
        const isEnough = Role.literals.indexOf(role) >= Role.literals.indexOf(authority)
        assert.strictEqual(error?._tag, isEnough ? undefined : "InsufficientAuthority", `${role} for ${authority}`)
        if (isEnough) continue
        assert.deepStrictEqual(Object.keys(change ?? {}), ["audit"])
        assert.deepStrictEqual(
          change?.audit.map(({ details, entity, event, result }) => [event, result, entity.id, details["operation"]]),
          [["access_denied", "denied", "dec-aaaa", "decision answer"]]
        )
      }
  })

  it.each([
    ["admin", "dec-aaaa must be answered by an owner or admin of the workspace; your role is member. Ask one of them."],
    ["owner", "dec-aaaa must be answered by an owner of the workspace; your role is member. Ask one of them."]
  ] as const)("with the role it needs: %s", (authority, words) =>
    assert.strictEqual(refusal(matter(new Decision({ ...asked, authority }))).error?.message, words)
  )

  it.each(finals)("once it is final, in words that help: %s", (tag, decision, words) => {
    const { change, error } = refusal(matter(decision))
    assert.deepStrictEqual([error?._tag, error?.message, change], [tag, words, null])
  })

  it.each(["app", "slack", "mcp", "api"] as const)("with the channel of the first answer: %s", (channel: Channel) => {
    const { error } = refusal(matter(new Decision({ ...resolved, resolvedVia: channel })))
    assert.include(error?.message, ` via ${channel} with`)
  })

  it("with as many words as are known of the first answer", () => {
    const imported = new Decision({ ...resolved, resolvedBy: null, resolvedVia: null, resolvedAt: null })
    assert.strictEqual(
      refusal(matter(imported)).error?.message,
      "dec-aaaa was answered already with 'Do request_changes'. The first answer stands."
    )
  })

  it("with an option it does not offer, naming those it does", () => {
    const { change, error } = refusal(matter(asked), { optionId: "merge" })
    assert.strictEqual(
      error?.message,
      "optionId must be one of approve_plan, request_changes for dec-aaaa; got 'merge'."
    )
    assert.isNull(change)
    assert.isBelow(refusal(matter(asked), { optionId: "x".repeat(9999) }).error?.message.length ?? 9999, 300)
  })

  it("for its authority first, then its state, then its deadline, then the option", () => {
    const due = { expiresAt: now }
    const strict = { authority: "owner" } as const
    const wrong = { optionId: "merge" }
    const tag = (decision: Decision) => refusal(matter(decision), wrong).error?._tag
    for (const [final, decision] of finals) {
      assert.strictEqual(tag(new Decision({ ...decision, ...strict, ...due })), "InsufficientAuthority")
      assert.strictEqual(tag(new Decision({ ...decision, ...due })), final)
    }
    assert.strictEqual(tag(new Decision({ ...asked, ...strict, ...due })), "InsufficientAuthority")
    assert.strictEqual(tag(new Decision({ ...asked, ...due })), "DecisionExpired")
    assert.strictEqual(tag(asked), "UnknownOption")
  })
})

describe("a note", () => {
  const beer = "\u{1f37a}"
  it.each([
    ["none", null, true],
    ["nothing", "", true],
    ["4,000 letters", "x".repeat(4000), true],
    ["4,001 letters", "x".repeat(4001), false],
    ["4,000 characters beyond the basic plane", beer.repeat(4000), true],
    ["4,001 of them", beer.repeat(4001), false],
    ["3,999 letters and one of them", "x".repeat(3999) + beer, true],
    ["4,000 letters and one of them", "x".repeat(4000) + beer, false]
  ])("of %s", (_, note, isShort) => {
    assert.strictEqual(Either.isRight(checkNote(note)), isShort)
    assert.strictEqual(Schema.is(Schema.NullOr(Note))(note), isShort)
    if (isShort) assert.isNull(refusal(matter(asked), { note }).error)
  })

  it("that is too long is told its length in characters", () =>
    assert.strictEqual(
      Either.getOrNull(Either.flip(checkNote(beer.repeat(4001))))?.message,
      "note must be at most 4000 characters; got 4001. Shorten it."
    ))
})
