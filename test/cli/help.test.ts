import { Layer } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { turns } from "../support/Share.ts"
import * as Terminal from "./Terminal.ts"
import { commands, verbs } from "./Verbs.ts"

const terminal = Terminal.open(Layer.die("opened"))
terminal.pipe("https://chat.example.com/hook")
afterAll(() => terminal.close())

const shown = async (...words: ReadonlyArray<string>) => {
  const { code, err, out } = await terminal.gatehouse(...words)
  assert.deepStrictEqual([code, err], [0, []])
  return out.join("\n")
}

it("help lists every verb with what it does, on lines that fit a screen", async () => {
  const lines = (await shown("--help")).split("\n")
  const listed = lines.flatMap((line) => /^ {2}(\w+(?: [\w-]+)*) {2,}(\S.*)$/.exec(line)?.slice(1, 2) ?? [])
  assert.deepStrictEqual(listed.toSorted(), verbs.map((words) => words.join(" ")).toSorted())
  for (const line of lines) assert.isAtMost(line.length, 130, line)
  assert.strictEqual(await shown("-h"), lines.join("\n"))
})

describe.each(Object.entries(commands).filter(([, verbs]) => verbs.length > 0))("the help of %s", (command, verbs) => {
  it("lists its verbs, also when the verb is forgotten", async () => {
    const words = command.split(" ")
    const help = await shown(...words, "--help")
    for (const verb of verbs) assert.match(help, new RegExp(`^  ${command} ${verb} +\\S`, "m"))
    assert.strictEqual(await shown(...words), help)
  })
})

describe.each(turns(verbs, 3).map((words) => [words.join(" "), words] as const))("the help of %s", (_, words) => {
  it("says what it does, how it is called, and something of every option", async () => {
    const help = await shown(...words, "--help")
    assert.strictEqual(await shown(...words, "--json", "-h"), help)
    assert.match(help, /^[A-Z].*\.\n/)
    assert.match(help, new RegExp(`^  ./gatehouse ${words.join(" ")} .*\\[options\\]`, "m"))
    const options = help.split("\n").filter((line) => line.startsWith("  -"))
    assert.isNotEmpty(options)
    // Places are of one kind so far: a list of one choice.
    const described =
      /^ {2}--[a-z-]+(?: (?:[A-Z]{2,}[A-Z:.a-z|=]*|webhook|[a-z_0-9]+(?:\|[a-z_0-9]+)+)(?:\.\.\.)?)?(?: {2,}\S.*)?$/
    for (const option of options) assert.match(option, described)
    const bare = help
      .split("\n")
      .filter((line, index, all) => / {2}-\S*( \S+)?$/.test(line) && !/^ {4,}\S/.test(all[index + 1] ?? ""))
    assert.deepStrictEqual(bare, [])
    const [starts] = [...help.matchAll(/^ {2}-.*? {2,}(?=\S)/gm)]
      .map(([before]) => before.length)
      .toSorted((a, b) => b - a)
    assert.isAtMost(starts ?? 0, 40)
    assert.notInclude(help, "A user-defined piece of text")
  })

  it("has an example that the command line understands", async () => {
    const [, example = ""] = (await shown(...words, "--help")).split("\nExample:\n  ./gatehouse ")
    const typed = [...example.replace(/ < \S+/, "").matchAll(/'[^']*'|\S+/g)].map(([word]) => word.replaceAll("'", ""))
    assert.deepStrictEqual(typed.slice(0, words.length), [...words])
    const { err } = await terminal.gatehouse(...typed, "--json")
    assert.notInclude(err.join(), "invalid_usage")
  })
})

it("the help of a verb tells what it needs from what it may be given", async () => {
  const [must = "", may = ""] = (await shown("run", "stop", "--help")).split("\nOptions:\n")
  for (const option of ["--workspace SLUG", "--as EMAIL", "--run KEY"]) assert.include(must, `  ${option} `)
  for (const option of ["--yes", "--json"]) assert.include(may, `  ${option} `)
  assert.include(must, "  ./gatehouse run stop --workspace SLUG --as EMAIL --run KEY [options]\n")
  assert.include(await shown("import", "--help"), "  ./gatehouse import --workspace SLUG [options] <FILE.json>\n")
})

it.each([
  [["tokn", "--help"], "There is no command 'tokn'. Did you mean 'token'?"],
  [["token", "crate", "--help"], "There is no command 'token crate'. Did you mean 'token create'?"],
  [["team", "plaice", "--help"], "There is no command 'team plaice'. Did you mean 'team place'?"],
  [["team", "place", "ad", "--help"], "There is no command 'team place ad'. Did you mean 'team place add'?"]
])("help for %j says that there is no such command", async (words, part) => {
  const { message } = await terminal.failure(...words)
  assert.include(message, part)
})
