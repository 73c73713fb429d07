import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { git } from "../../adapters/localgit/Git.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gh-git-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

it.scopedLive("git that cannot be started is called missing only where it is", () =>
  Effect.gen(function* () {
    const [empty, closed] = [yield* folder, yield* folder]
    // A folder cannot be executed.
    mkdirSync(join(closed, "git"))
    const reasonOf = (path: string, argument = "version") =>
      Effect.map(Effect.flip(git([argument], { env: { PATH: path } })), ({ reason }) => reason)
    assert.include(yield* reasonOf(empty), "git is not installed")
    assert.match(yield* reasonOf(closed), /could not be started .*: spawn git EACCES\.$/)
    assert.match(yield* reasonOf("/usr/bin", "x".repeat(200_000)), /could not be started .*: spawn E2BIG\.$/)
  })
)
