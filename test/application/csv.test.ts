import { assert, describe, it } from "vitest"
import * as Csv from "../../application/workspace/Csv.ts"

describe("a cell", () => {
  it.each([
    ['=HYPERLINK("http://evil.test","x")', `"'=HYPERLINK(""http://evil.test"",""x"")"`],
    ["+1+1", "'+1+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["\t=1", "'\t=1"],
    ["\r=1", `"'\r=1"`],
    ["a=1", "a=1"],
    ["'=1", "'=1"],
    ['say "no", then\r\ngo', '"say ""no"", then\r\ngo"'],
    ["", ""],
    [null, ""]
  ])("%j is written as %j", (value, written) => assert.strictEqual(Csv.file([[value]]), `${written}\r\n`))
})
