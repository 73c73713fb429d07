import { assert, describe, it } from "@effect/vitest"
import { warnings } from "../../../domain/oncall/Reach.ts"
import { members, place } from "./NotifyScene.ts"
import { service } from "./TriageScene.ts"

describe("a service whose incidents wake nobody", () => {
  const [ops, foreign] = [place("ops"), place("shop", "web")]
  const nobody = "notify names no member and no place is chosen. To have somebody woken, name members in notify or add"
  const inboxOnly =
    "SMTP_URL is not set for this command and no place is chosen. To have somebody woken, start the service with SMTP_URL or add"
  const silent = "acknowledgeInSource acknowledges nothing until a mail is sent or a post is made"

  it.each([
    ["a member, with a mail server", ["ann@acme.test"], null, [], true, null],
    ["a member in other letters, with a mail server", ["ANN@acme.test"], null, [], true, null],
    ["a place, by default", [], null, [ops], false, null],
    ["a chosen place", [], ["ops"], [ops], false, null],
    ["nobody and nowhere", [], null, [], true, nobody],
    ["nobody, with places switched off", [], [], [ops], true, nobody],
    ["nobody, with a place that was removed", [], ["gone"], [ops], true, nobody],
    ["nobody, with a place of another team", [], null, [foreign], true, nobody],
    ["only who is no member any more", ["eve@acme.test"], [], [ops], true, nobody],
    ["a member, without a mail server", ["ann@acme.test"], null, [], false, inboxOnly],
    ["a member and a place, without a mail server", ["ann@acme.test"], null, [ops], false, null]
  ] as const)("is warned of: %s", (_, notify, places, all, isMailSet, problem) => {
    for (const acknowledgeInSource of [false, true])
      for (const observeOnly of [false, true]) {
        const one = service(1, "checkout", {
          notify: [...notify],
          places: places && [...places],
          acknowledgeInSource,
          observeOnly
        })
        const told = warnings(one, { members, places: all, isMailSet })
        const isSilent = acknowledgeInSource && !observeOnly
        assert.strictEqual(told.length, problem === null ? 0 : isSilent ? 2 : 1)
        if (problem !== null) assert.include(told[0], problem)
        if (told.length === 2) assert.include(told[1], silent)
      }
  })
})
