// @effect-diagnostics processEnv:off
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { Data, Effect } from "effect"
import { files } from "./Scripts.ts"

const run = promisify(execFile)

const author = ["-c", "user.name=Gatehouse", "-c", "user.email=gatehouse@localhost", "-c", "core.hooksPath=/dev/null"]

const env = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0"
}

class GitFailed extends Data.TaggedError("GitFailed")<{ readonly message: string }> {}

const git = (...words: ReadonlyArray<string>) =>
  Effect.tryPromise({
    try: async () => (await run("git", [...author, ...words], { env })).stdout,
    catch: (error) =>
      new GitFailed({ message: `git failed: ${error instanceof Error ? error.message.trim() : String(error)}` })
  })

/** Makes a bare repository with one commit in a folder of its own. */
export const make = Effect.fn("Repository.make")(function* (folder: string) {
  const place = yield* Effect.sync(() => {
    mkdirSync(folder, { recursive: true })
    return mkdtempSync(join(folder, "greetings-"))
  })
  const [bare, work] = [join(place, "greetings.git"), join(place, "first")]
  yield* git("init", "--quiet", "--bare", "--initial-branch=main", bare)
  yield* git("init", "--quiet", "--initial-branch=main", work)
  yield* Effect.sync(() => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(work, name)), { recursive: true })
      writeFileSync(join(work, name), text)
    }
  })
  yield* git("-C", work, "add", "--all")
  yield* git("-C", work, "commit", "--quiet", "--message", "Greet everybody")
  yield* git("-C", work, "push", "--quiet", bare, "main")
  return bare
})

/** The history of a branch, newest first, as people read it. */
export const log = (repository: string) => git("-C", repository, "log", "--graph", "--oneline", "main")

export const file = (repository: string, path: string) => git("-C", repository, "show", `main:${path}`)
