const filled = (filler: string, size: number, before = "", after = "") =>
  before + filler.repeat(Math.ceil((size - before.length - after.length) / filler.length)) + after

type Shape = readonly [name: string, make: (size: number) => string]

const shape = (filler: string, before = "", after = ""): Shape => [
  JSON.stringify(`${before}${filler}…${after}`),
  (size) => filled(filler, size, before, after)
]

/** Texts that make a backtracking parser read often. */
export const shapes: ReadonlyArray<Shape> = [
  shape('\\"', "[]".repeat(65)),
  shape('\\"', '{"title":"'),
  shape("\\\\", '"'),
  shape("[", "", "x"),
  shape('{"a":'),
  shape("[[]],", "["),
  shape(" ", "", "x"),
  shape(" ", "v1=", "x"),
  shape(" ", "Bearer ", "x y"),
  shape(" ", "application/json", "x"),
  shape("\n", "x", "x"),
  shape(" \n", "x", "x"),
  shape("a"),
  shape("A"),
  shape("9"),
  shape("1", "2026-01-01T00:00:00.", "!"),
  shape("+0000"),
  shape("a:", "", "\n"),
  shape("a=b,"),
  shape(",v1="),
  shape("-", "a", "!"),
  shape("a-", "", "!"),
  shape("/", "", "x"),
  shape("/projects/a"),
  shape("/accounts/1/issues/", "https://x"),
  shape("[P1] ", "", "["),
  shape("[Triggered "),
  shape("{{", "", "x"),
  shape("}}", "{{", "x"),
  shape("pass"),
  shape("\u{1F600}"),
  shape("\ud800"),
  shape("\0"),
  shape("%41"),
  shape("&a=b"),
  shape("W/,"),
  shape("-----BEGIN CERTIFICATE-----a"),
  shape("<!-- "),
  shape("a <!-- -->"),
  shape("`", "", "<!-- "),
  shape("` `` ``` <!-- "),
  shape("**a"),
  shape("- [ ] a\n"),
  shape("- "),
  shape("> "),
  shape("| a ", "", "\n|--|"),
  shape("|-", "| a |\n"),
  shape("#", "# a "),
  shape("[", "# "),
  shape("```\n"),
  shape("**a:** b\n"),
  shape("Given a\nThen b\n")
]
