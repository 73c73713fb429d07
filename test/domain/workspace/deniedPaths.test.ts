import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { byService } from "../../../domain/workspace/Actor.ts"
import { acceptanceFolder } from "../../../domain/workspace/Policy.ts"
import { raise } from "../../../domain/work/RaiseDecision.ts"
import { raisedBy } from "../../../domain/work/DecisionTriggers.ts"
import * as Sample from "../Sample.ts"

const ask = (path: string, globs: ReadonlyArray<string> = []) =>
  raisedBy(Sample.policy({ deniedPaths: [acceptanceFolder, ...globs] }), Sample.run("running"), {
    type: "path_needed",
    path,
    reason: "Because."
  })
const isDenied = (path: string, ...globs: ReadonlyArray<string>) => ask(path, globs) !== null

describe("the acceptance specs", () => {
  it.each([
    ".kanman/acceptance/a.md",
    ".kanman/acceptance/deep/er/a.md",
    ".kanman/acceptance/.hidden",
    ".kanman/acceptance/a b\nc.md",
    ".kanman/acceptance",
    ".kanman/acceptance/",
    "./.kanman/acceptance/a.md",
    "/.kanman/acceptance/a.md",
    ".kanman//acceptance///a.md",
    ".kanman/./acceptance/./a.md",
    ".kanman/x/../acceptance/a.md",
    "src/../.kanman/acceptance/a.md",
    "../.kanman/acceptance/a.md",
    ".kanman\\acceptance\\a.md",
    "src\\..\\.kanman\\acceptance\\a.md"
  ])("are denied however the path is written: %j", (path) => assert.isTrue(isDenied(path)))

  it.each([".kanman/acceptance/../notes.md", ".kanman/acceptance.md", ".kanman/gates.json"])(
    "are denied with all of their folder: %j",
    (path) => assert.isTrue(isDenied(path))
  )

  it.each(["xkanman/acceptance/a.md", "docs/.kanman/acceptance/a.md", "kanman/acceptance/a.md"])(
    "are not what lies beside them: %j",
    (path) => assert.isFalse(isDenied(path))
  )
})

describe("a denied path", () => {
  it.each([
    ["infra/**", "infra/a", true],
    ["infra/**", "infra/a/b/c", true],
    ["infra/**", "infrastructure/a", false],
    ["infra/*", "infra/a", true],
    ["infra/*", "infra/a/b", false],
    ["*.sql", "a.sql", true],
    ["*.sql", "db/a.sql", false],
    ["**/*.sql", "a.sql", true],
    ["**/*.sql", "db/deep/a.sql", true],
    ["**/*.sql", "db/a.sqlite", false],
    ["src/**/secret/*", "src/secret/key", true],
    ["src/**/secret/*", "src/a/b/secret/key", true],
    ["src/**/secret/*", "src/a/secret/b/key", false],
    ["**", "anything/at/all", true],
    ["**", ".", true],
    ["*", "top", true],
    ["*", "top/below", false],
    ["v?.ts", "v1.ts", true],
    ["v?.ts", "v12.ts", false],
    ["v?.ts", "v/.ts", false],
    ["a.b", "axb", false],
    ["a(b)+[c]{d}|e^$", "a(b)+[c]{d}|e^$", true],
    ["a(b)+[c]{d}|e^$", "abb", false],
    ["./infra/**", "infra/a", true],
    ["/infra/**", "infra/a", true],
    ["Infra/**", "infra/a", false]
  ])("%s and %s: denied is %s", (glob, path, expected) => assert.strictEqual(isDenied(path, glob), expected))

  it("is asked about by where it leads, and that is what is allowed", () => {
    const asked = ask("./db/../infra//main.tf", ["infra/**"])
    assert.deepStrictEqual([asked?.subject, asked?.title], ["infra/main.tf", "May it change infra/main.tf?"])
  })

  it.each([
    ["as long as it may be", "x".repeat(500)],
    ["cut within a pair of surrogates", `${"x".repeat(484)}\u{1f37a}${"x".repeat(10)}`],
    ["the repository itself", "./"]
  ])("can be asked about when it is %s", (_, path) => {
    const asked = ask(path, ["**"])
    if (asked === null) return assert.fail("not denied")
    const { answer } = Either.getOrThrow(raise(byService, Sample.raising(), asked))
    assert.isAtMost(Either.getOrThrow(answer).title.length, 500)
  })
})
