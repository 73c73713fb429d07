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
  ])("%s is vouched for, or a note names the reason", (_, acts, isGood, reason) => {
    assert.strictEqual(isVouched(acts), isGood)
    const note = distrust("acme/pay", acts)
    assert.strictEqual(note === null, reason === null)
    assert.include(note ?? "", reason ?? "")
    assert.strictEqual(isMirrorNote(note ?? ""), reason !== null)
  })
})

describe("a new text of a chosen story", () => {
  const since = act(writer, 10).at
  const unready = (foreignEdit: ReturnType<typeof edit> | null) => ({ readied: null, foreignEdit })
  it.each([
    ["that writers wrote", true, unready(null), since],
    ["that a stranger edited", false, unready(edit(11)), since],
    ["that a stranger edited with the known one", false, unready(edit(10)), since],
    ["that a stranger edited before the known one", true, unready(edit(9)), since],
    ["that a stranger ever edited, without a known one", false, unready(edit(9)), null],
    ["that a writer vouched for since", true, { readied: act(writer, 12), foreignEdit: edit(11) }, since],
    ["that the service marked since", false, { readied: act(own, 12), foreignEdit: edit(11) }, since]
  ])("%s is trusted: %s", (_, isTrusted, acts, from) => {
    const note = distrustText("acme/pay", acts, from)
    if (isTrusted) assert.isNull(note)
    else assert.match(note ?? "", /^mallory, who may not write to acme\/pay, edited the issue\. Read its text/)
  })
})
