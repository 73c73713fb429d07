import { assert, describe, it } from "vitest"
import { problems, type Seen } from "./History.ts"

const answer = (option: string, began: number, ended: number, saw: Seen["saw"]): Seen => ({
  did: "answer",
  option,
  began,
  ended,
  saw
})
const read = (began: number, ended: number, saw: string | null): Seen => ({
  did: "read",
  option: null,
  began,
  ended,
  saw
})

describe("a history of one decision", () => {
  const sound: ReadonlyArray<readonly [string, ReadonlyArray<Seen>, string | null]> = [
    ["without answers", [read(1, 2, null)], null],
    ["with one answer", [read(1, 2, null), answer("yes", 3, 4, "yes"), read(5, 6, "yes")], "yes"],
    ["with a loser", [answer("yes", 1, 9, "yes"), answer("no", 2, 3, "yes")], "yes"],
    [
      "with looks of both kinds while it is answered",
      [answer("yes", 1, 9, "yes"), read(2, 5, "yes"), read(4, 8, null)],
      "yes"
    ],
    ["with an answer cut off that counted", [answer("yes", 1, Infinity, undefined), read(7, 8, "yes")], "yes"],
    ["with an answer cut off that did not", [answer("no", 1, Infinity, undefined), answer("yes", 3, 4, "yes")], "yes"]
  ]
  it.each(sound)("%s is sound", (_, history, end) => assert.deepStrictEqual(problems(history, end), []))

  const broken: ReadonlyArray<readonly [string, ReadonlyArray<Seen>, string | null]> = [
    ["two winners", [answer("yes", 1, 2, "yes"), answer("no", 3, 4, "no")], "yes"],
    ["an answer that is gone", [answer("yes", 1, 2, "yes")], null],
    ["an answer nobody gave", [read(1, 2, "yes")], "yes"],
    ["a look that forgot", [answer("yes", 1, 2, "yes"), read(3, 4, null)], "yes"],
    ["a look back behind another", [answer("yes", 1, 9, "yes"), read(2, 3, "yes"), read(4, 5, null)], "yes"],
    ["a look ahead", [read(1, 2, "yes"), answer("yes", 3, 4, "yes")], "yes"],
    ["a loser told of another", [answer("yes", 1, 2, "yes"), answer("no", 1, 3, "maybe")], "yes"]
  ]
  it.each(broken)("with %s is not", (_, history, end) => assert.lengthOf(problems(history, end), 1))
})
