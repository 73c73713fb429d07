import { assert, describe, it } from "@effect/vitest"
import { excerptOf, noticeOf } from "../../../domain/oncall/RefusedDelivery.ts"

const excerpt = (text: string) => excerptOf(new TextEncoder().encode(text))

describe("what is kept of a refused body", () => {
  it.each([
    ['{"title":"a","password":"hunter2","b":1}', '{"title":"a","password":"<redacted>","b":1}'],
    ['{"api_key": "hun\\"ter2", "b": 1}', '{"api_key": "<redacted>", "b": 1}'],
    ['{"token": 12345, "b": 1}', '{"token": <redacted>, "b": 1}'],
    ['{"secrets": {"a": "hunter2"}, "b": 1}', '{"secrets": <redacted>'],
    ['{"secret": ["hunter2", "hunter3"]', '{"secret": <redacted>'],
    ['{"password": "hunter2 without end', '{"password": "<redacted>'],
    [
      '{"Message":"{\\"password\\":\\"hunter2\\",\\"a\\":1}"}',
      '{"Message":"{\\"password\\":\\"<redacted>\\",\\"a\\":1}"}'
    ],
    ["title=a&token=hunter2&b=1", "title=a&token=<redacted>&b=1"],
    ["Authorization: Bearer hunter2", "Authorization: Bearer <redacted>"],
    ["Authorization: Basic hunter2 more", "Authorization: Basic <redacted> more"],
    ['password="a token=b" c', 'password="<redacted>" c'],
    ["plain words", "plain words"],
    ["", ""]
  ])("of %s: %s", (text, kept) => assert.strictEqual(excerpt(text), kept))

  it("is at most 2 KB, and text that can be stored", () => {
    assert.strictEqual(excerpt("m".repeat(9000)).length, 2048)
    assert.strictEqual(excerptOf(new Uint8Array([0x7b, 0, 0xff])), "{\u{FFFD}\u{FFFD}")
  })
})

describe("the notice of a refusal", () => {
  it("names the source, the answer, and where to look", () => {
    const refusal = { status: 400, code: "unreadable_alert", message: "The body is not JSON.", body: null }
    const { subject, text } = noticeOf("grafana", refusal)
    assert.strictEqual(subject, "A delivery of the signal source grafana was refused: 400 unreadable_alert")
    assert.strictEqual(
      text,
      [
        "The body is not JSON.",
        "Many alerting tools do not send a refused alert again, so alerts of grafana may be missing.",
        "'gatehouse delivery list --source grafana --refused' shows the last 50 refusals. The next notice comes after 60 minutes at the earliest."
      ].join("\n\n")
    )
  })
})
