import { DateTime } from "effect"
import type { JSX } from "preact"
import { assert, describe, it } from "vitest"
import { Confirm, Dialog } from "../../adapters/http/web/components/Dialog.tsx"
import { Meter, Pairs } from "../../adapters/http/web/components/Facts.tsx"
import { Copy, Field } from "../../adapters/http/web/components/Form.tsx"
import { fragment } from "../../adapters/http/web/components/Layout.tsx"
import { Outside } from "../../adapters/http/web/components/Link.tsx"
import { Avatar, Toast } from "../../adapters/http/web/components/Parts.tsx"
import { TimeLeft, WithTimes } from "../../adapters/http/web/components/Time.tsx"
import * as Times from "../../adapters/http/web/components/Times.ts"
import { Inline, Markdown, plain } from "../../adapters/http/web/decisions/Markdown.tsx"
import { readerOf } from "../../adapters/http/web/Reader.ts"

const at = (text: string) => DateTime.unsafeMake(text)
const now = at("2026-11-10T09:42:07.000Z")
const berlin = readerOf({ "gatehouse-zone": "Europe/Berlin" }, now)
const shown = (element: JSX.Element) => fragment(berlin, element)

describe("times", () => {
  it.each([
    ["2026-11-10T09:42:00Z", "just now"],
    ["2026-11-10T09:00:00Z", "42 min ago"],
    ["2026-11-10T06:41:00Z", "3 h ago"],
    ["2026-11-09T23:00:00Z", "10 h ago"],
    ["2026-11-09T20:00:00Z", "yesterday"],
    ["2026-11-07T13:52:00Z", "3 days ago"],
    ["2026-10-01T10:00:00Z", "1 Oct"],
    ["2025-10-01T10:00:00Z", "1 Oct 2025"]
  ])("%s is %s", (time, words) => assert.strictEqual(Times.age(at(time), berlin), words))

  it.each([
    ["2026-11-10T10:30:08Z", "48 min left", "bad"],
    ["2026-11-10T12:52:08Z", "3 h 10 min left", "warn"],
    ["2026-11-11T09:42:08Z", "1 day left", ""],
    ["2026-11-12T07:42:08Z", "1 day 22 h left", ""],
    ["2026-11-10T09:42:30Z", "under 1 min left", "bad"],
    ["2026-11-10T09:42:07Z", "Expired", "bad"]
  ])("until %s are %s", (until, words, tone) => {
    const left = Times.left(at("2026-11-07T13:52:00Z"), at(until), berlin)
    assert.deepStrictEqual([left.words, left.tone], [words, tone])
    assert.include(shown(<TimeLeft from={now} until={at(until)} />), words)
  })

  it("are in the reader's zone, with the exact instant", () => {
    assert.strictEqual(Times.moment(at("2026-11-10T12:52:00Z"), berlin), "13:52 today")
    assert.strictEqual(Times.moment(at("2026-11-07T13:52:00Z"), berlin), "Sat 7 Nov, 14:52")
    assert.strictEqual(Times.exact(at("2026-11-07T13:52:00Z"), berlin), "2026-11-07 14:52:00 Europe/Berlin")
    assert.strictEqual(readerOf({ "gatehouse-zone": "Nowhere" }, now).zone.id, "UTC")
  })
})

describe("timestamps in texts", () => {
  const time =
    '<time datetime="2026-11-07T13:52:00.000Z" title="2026-11-07 14:52:00 Europe/Berlin">Sat 7 Nov, 14:52</time>'

  it("are shown as the reader's time, in plain text and in Markdown", () => {
    const text = "run-7f3k, merged at 2026-11-07T13:52:00.000Z, is **likely**"
    assert.strictEqual(shown(<WithTimes text={text} />), `run-7f3k, merged at ${time}, is **likely**`)
    assert.include(shown(<Markdown text={text} />), `merged at ${time}, is <strong>likely</strong>`)
  })

  it.each([
    "2026-13-07T13:52:00Z",
    "2026-11-07",
    "2026-11-07T13:52:00",
    "x2026-11-07T13:52:00Z",
    "2026-11-07T13:52:00Zx"
  ])("%s stays as it is", (text) => {
    assert.strictEqual(shown(<WithTimes text={text} />), text)
    assert.include(
      shown(<Markdown text={`\`2026-11-07T13:52:00Z\` ${text}`} />),
      `<code>2026-11-07T13:52:00Z</code> ${text}`
    )
  })
})

describe("components", () => {
  const hostile = `"><script>alert(1)</script>`

  it.each<readonly [string, JSX.Element]>([
    ["a link", <Outside href={`javascript:${hostile}`}>{hostile}</Outside>],
    ["a copy field", <Copy label={hostile} value={hostile} />],
    ["a field", <Field name="a" label={hostile} filled={{ values: { a: hostile }, errors: { a: hostile } }} />],
    ["pairs", <Pairs of={[[hostile, hostile]]} />],
    ["a toast", <Toast>{hostile}</Toast>],
    ["an avatar", <Avatar name={hostile} />],
    [
      "a dialog",
      <Dialog id="d" title={hostile} action={hostile} confirm={hostile} keep={hostile}>
        {hostile}
      </Dialog>
    ],
    [
      "its page",
      <Confirm action={hostile} back={hostile} confirm={hostile} keep={hostile}>
        {hostile}
      </Confirm>
    ],
    [
      "Markdown",
      <Markdown text={`${hostile}\n\n[a](javascript:alert(1)) <javascript:alert(1)> ![b](data:text/html,x)`} />
    ]
  ])("%s shows any text as text", (_, element) => {
    const html = shown(element)
    assert.notInclude(html, "<script")
    assert.notMatch(html, /(href|src|action)="(javascript|data):/)
  })

  it("a field says what is wrong with it, and keeps its value", () => {
    const html = shown(
      <Field name="a" label="Name" hint="Short" filled={{ values: { a: "x" }, errors: { a: "Longer." } }} />
    )
    assert.include(html, 'aria-describedby="a-error a-hint"')
    assert.include(html, 'aria-invalid="true"')
    assert.include(html, 'value="x"')
  })

  it("a meter stays within its bar", () => {
    assert.include(shown(<Meter part={250} />), 'width="100"')
    assert.include(shown(<Meter part={-5} />), 'width="0"')
  })

  it.each([
    ["May it edit `src/**`?", "May it edit <code>src/**</code>?"],
    ["**Two** words, **in bold face**.", "<strong>Two</strong> words, <strong>in bold face</strong>."],
    ["src/**/*.ts, lib/**/*.js, **/a/**, a ** b **", "src/**/*.ts, lib/**/*.js, **/a/**, a ** b **"],
    ["`a **b** c` <b>", "<code>a **b** c</code> &lt;b>"]
  ])("%s has code and bold marked, and every path as it is", (text, html) => {
    assert.strictEqual(shown(<Inline text={text} />), html)
  })

  it("a line without marks is for titles", () =>
    assert.strictEqual(plain("**May** it edit `src/**`?"), "May it edit src/**?"))

  it("headings of Markdown come below the page's", () => {
    const html = shown(<Markdown text={"# One\n\n###### Six"} />)
    assert.include(html, "<h3>One</h3>")
    assert.include(html, "<h6>Six</h6>")
  })
})
