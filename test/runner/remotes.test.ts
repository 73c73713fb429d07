import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { basename, dirname, join } from "node:path"
import type { IncomingMessage, ServerResponse } from "node:http"
import { certificate, gitServer } from "./GitServer.ts"
import { launch, nobody } from "./Program.ts"
import { eventually, filesWith, gates, git, isRoot, processesNaming, repository, rig, running } from "./Rig.ts"
import { grantOf } from "./ScriptedService.ts"
import { long } from "../support/Long.ts"
import { turns } from "../support/Share.ts"

const token = "s3cret-git-t0ken"
const header = (secret: string) => `Basic ${Buffer.from(`x-access-token:${secret}`).toString("base64")}`

/** The token as it could be found, and as git sends it. */
const forms = [token, header(token).slice("Basic ".length)]

/** Leaves requests with the token to git, and refuses the others. */
const guarded = (seen: () => void) => (request: IncomingMessage, response: ServerResponse) => {
  if (request.headers.authorization === header(token)) {
    seen()
    return false
  }
  response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end()
  return true
}

const lease = { run: { stage: "implementing" }, policy: { acceptanceSpecRequired: false } }

const begun = Effect.gen(function* () {
  const bench = yield* rig
  const repo = repository(bench.base, { "README.md": "Hi\n", ".kanman/gates.json": gates("true") })
  const start = (url: string, tokens: string) => {
    bench.service.state.queue.push(grantOf(`${url}/${basename(repo)}`, lease))
    return launch(bench, "echo world > hello.txt", { GIT_TOKENS: tokens, GIT_SSL_CAINFO: certificate })
  }
  const failure = eventually(
    () => "the failure",
    () => bench.service.factsOf("run-7f3k").find((fact) => fact.type === "failure")?.error
  )
  return { bench, repo, root: dirname(repo), start, failure }
})

describe("a repository on this machine that cannot be used", () => {
  it.scopedLive.each([
    ["is missing", "none.git", "there is no git repository at"],
    ["is empty", "empty.git", "has no commit on its default branch yet. Push a first commit"],
    // Only root can make one.
    ...(isRoot ? [["belongs to another user", "other.git", "belongs to another user than that of the runner"]] : [])
  ])("%s, and the failure says so in plain words", ([, name = "", part = ""]) =>
    Effect.gen(function* () {
      const bench = yield* rig
      git(bench.base, "init", "--quiet", "--bare", "empty.git")
      const other = repository(bench.base, { "README.md": "Hi\n" })
      if (isRoot) execFileSync("chown", ["-R", `${nobody}`, other])
      const path = name === "other.git" ? other : join(bench.base, name)
      bench.service.state.queue.push(grantOf(path, lease))
      yield* running(bench, "true")
      const { error } = yield* eventually(
        () => "the failure",
        () => bench.service.factsOf("run-7f3k").find((fact) => fact.type === "failure")
      )
      assert.include(error, part)
      assert.notMatch(error, /fatal:|Could not read from remote/)
    })
  )
})

long(() => {
  describe("git over https", () => {
    it.scopedLive("uses the token of the host, which no command line, address, file or log shows", () =>
      Effect.gen(function* () {
        const { bench, repo, root, start } = yield* begun
        const shown: Array<string> = []
        // A client waits for its answer here, so its command line can be read.
        const look = guarded(() => void shown.push(...forms.flatMap((form) => processesNaming(form))))
        const server = yield* gitServer(root, look)
        const program = yield* start(server.url, `other.test=nothing,${server.host}=${token}`)
        yield* eventually(program.text, () => /handed off/.test(program.text()))
        assert.strictEqual(git(repo, "show", "gatehouse/PAY-1-run-7f3k:hello.txt"), "world")
        assert.isTrue(server.asked.some(({ path }) => path.endsWith("/git-receive-pack")))
        assert.deepStrictEqual(shown, [])
        assert.strictEqual(filesWith(bench, forms), "")
        for (const form of forms) {
          for (const { path } of server.asked) assert.notInclude(path, form)
          for (const text of [program.text(), JSON.stringify(bench.service.state.sent)]) assert.notInclude(text, form)
        }
      })
    )

    it.scopedLive.each(
      turns(
        [
          ["a wrong token", (host: string) => `${host}=wrong-t0ken`, "refuses the token of GIT_TOKENS for https://"],
          ["no token", () => "other.test=wrong-t0ken", "asks for a credential for https://"]
        ] as const,
        2
      )
    )("says what to do about %s", ([, tokens, part]) =>
      Effect.gen(function* () {
        const { bench, failure, root, start } = yield* begun
        const server = yield* gitServer(
          root,
          guarded(() => {})
        )
        const program = yield* start(server.url, tokens(server.host))
        const error = yield* failure
        assert.include(error, `${server.host} ${part}`)
        for (const text of [error, program.text(), JSON.stringify(bench.service.state.sent)])
          for (const form of ["wrong-t0ken", header("wrong-t0ken").slice(6)]) assert.notInclude(text, form)
      })
    )

    long(() => {
      it.scopedLive("never takes a token along to another host", () =>
        Effect.gen(function* () {
          const { failure, root, start } = yield* begun
          const other = yield* gitServer(root)
          const server = yield* gitServer(root, (request, response) => {
            response.writeHead(301, { location: `${other.url}${request.url}` }).end()
            return true
          })
          yield* start(server.url, `${server.host}=${token}`)
          assert.include(yield* failure, "leads to another address. Set that address as the repository of the team")
          assert.strictEqual(server.asked[0]?.authorization, header(token))
          assert.deepStrictEqual(
            other.asked.filter(({ authorization }) => authorization !== undefined),
            []
          )
        })
      )
    })
  })
})
