import { assert, describe, it } from "vitest"
import { distrust, distrustText, isVouched } from "../../../domain/tracker/Trust.ts"
import { isMirrorNote } from "../../../domain/work/Story.ts"
import { act, stranger, writer } from "./MirrorScene.ts"

const own = { name: "gatehouse", mayWrite: true, isOwn: true }
const edit = (seconds: number) => act(stranger, seconds)

describe("a text", () => {
  it.each([
    ["that a writer made ready", { readied: act(writer), foreignEdit: null }, true, null],
    ["that a writer made ready after an edit", { readied: act(writer), foreignEdit: edit(-1) }, true, null],
    ["that was edited with the label", { readied: act(writer), foreignEdit: edit(0) }, false, "edited the issue after"],
    ["that was edited since", { readied: act(writer), foreignEdit: edit(1) }, false, "mallory, who may not write"],
    ["that the service made ready", { readied: act(own), foreignEdit: null }, false, null],
    [
      "that a stranger made ready",
      { readied: act(stranger), foreignEdit: null },
      false,
      "mallory gave the issue its label"
    ],
    ["that nobody made ready", { readied: null, foreignEdit: null }, false, "acme/pay does not say who"]
  ])("%s is vouched for: %s; and the reason against it is %s", (_, acts, isGood, reason) => {
    assert.strictEqual(isVouched(acts), isGood)
    const note = distrust("acme/pay", acts)
    assert.strictEqual(note === null, reason === null)
    assert.include(note ?? "", reason ?? "")
    assert.strictEqual(isMirrorNote(note ?? ""), reason !== null)
  })
})

describe("a new text of a chosen story", () => {
  const since = act(writer, 10).at
  it.each([
    ["that writers wrote", { readied: null, foreignEdit: null }, since, true],
    ["that a stranger edited", { readied: null, foreignEdit: edit(11) }, since, false],
    ["that a stranger edited with the known one", { readied: null, foreignEdit: edit(10) }, since, false],
    ["that a stranger edited before the known one", { readied: null, foreignEdit: edit(9) }, since, true],
    ["that a stranger ever edited, without a known one", { readied: null, foreignEdit: edit(9) }, null, false],
    ["that a writer vouched for since", { readied: act(writer, 12), foreignEdit: edit(11) }, since, true],
    ["that the service marked since", { readied: act(own, 12), foreignEdit: edit(11) }, since, false]
  ])("%s is trusted", (_, acts, from, isGood) => {
    const note = distrustText("acme/pay", acts, from)
    assert.strictEqual(note === null, isGood)
    assert.match(
      note ?? "mallory, who may not write to acme/pay, edited the issue. R",
      /^mallory, .* acme\/pay, edited the issue\. R/
    )
  })
})
