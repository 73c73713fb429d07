import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Either, type Scope } from "effect"
import type { CodeHost } from "../../application/ports/codehost/CodeHost.ts"
import { CommitId, PullRequestNumber, PullRequestRecord } from "../../domain/codehost/PullRequestRecord.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { long } from "../support/Long.ts"
import { branch, lines, type Repository, spec } from "../codehost/Repositories.ts"

/** A repository on the host: its address, and a way to push to it. */
export interface Place {
  readonly host: CodeHost
  readonly address: string
  readonly repository: Repository
}

export const pullRequest = (
  repository: string,
  head: CommitId,
  more: Partial<PullRequestRecord> = {}
): PullRequestRecord => {
  const at = DateTime.unsafeMake("2026-01-01T00:00:00Z")
  return new PullRequestRecord({
    number: PullRequestNumber.make(7),
    team: "payments" as TeamSlug,
    repository,
    branch: branch("gatehouse/PAY-1-run-aaaa"),
    base: branch("main"),
    head,
    title: "Round the fees",
    state: "open",
    mergeCommit: null,
    runKey: null,
    story: "PAY-1" as StoryKey,
    reverts: null,
    createdAt: at,
    updatedAt: at,
    mergedAt: null,
    ...more
  })
}

const gone = CommitId.make("0123456789".repeat(4))

/** What every code host does, whatever it is. */
export const codeHostContract = <E>(name: string, place: Effect.Effect<Place, E, Scope.Scope>) => {
  const own = "gatehouse/PAY-1-run-aaaa"

  const proposed = (text = lines([5, "rounded"])) =>
    Effect.map(place, (at) => {
      const head = at.repository.commit(own, { "fees.txt": text }, { from: "main", message: "Round" })
      return { ...at, head, pull: pullRequest(at.address, head) }
    })

  const message = "Merge pull request #7: Round the fees\n\nStory: PAY-1\nRun: run-aaaa"

  it.scoped(`${name} knows its repositories, branches and commits, and has no checks of its own`, () =>
    Effect.gen(function* () {
      const { address, head, host, repository } = yield* proposed()
      assert.deepStrictEqual([host.serves(address), host.serves("git@elsewhere.test:acme/pay")], [true, false])
      assert.strictEqual(yield* host.branchHead(address, branch(own)), head)
      assert.isNull(yield* host.branchHead(address, branch("nowhere")))
      assert.strictEqual(yield* host.defaultBranch(address), "main")
      const main = repository.head("main")
      assert.deepStrictEqual(yield* host.findCommit(address, main.slice(0, 10)), { commit: main, isRevert: false })
      assert.isNull(yield* host.findCommit(address, head))
      assert.isNull(yield* host.findCommit(address, gone))
      assert.deepStrictEqual(yield* host.checks(address, main), [])
    })
  )

  it.scoped(`${name} opens a pull request at its head alone`, () =>
    Effect.gen(function* () {
      const { head, host, pull, repository } = yield* proposed()
      yield* host.open(pull)
      yield* host.open(pull)
      assert.deepStrictEqual(yield* host.state(pull), { state: "open", mergeCommit: null })
      const moved = repository.commit(own, { more: "" })
      const refused = yield* Effect.flip(host.open(pull))
      assert.deepInclude<object>(refused, { _tag: "BranchMoved", expected: head, found: moved })
      repository.git("update-ref", "-d", `refs/heads/${own}`)
      assert.deepInclude<object>(yield* Effect.flip(host.open(pull)), { _tag: "BranchMoved", found: null })
      assert.deepStrictEqual(yield* host.state(pull), { state: "closed", mergeCommit: null })
    })
  )

  it.scoped(`${name} merges the head once, with a commit of both histories`, () =>
    Effect.gen(function* () {
      const { head, host, pull, repository } = yield* proposed()
      const before = repository.head("main")
      const commit = yield* host.merge(pull, message)
      assert.strictEqual(repository.head("main"), commit)
      assert.strictEqual(repository.git("log", "-1", "--format=%P", commit), `${before} ${head}`)
      assert.strictEqual(repository.git("log", "-1", "--format=%B", commit), message)
      assert.strictEqual(repository.file("main", "fees.txt"), lines([5, "rounded"]).trim())
      assert.strictEqual(yield* host.merge(pull, message), commit)
      assert.deepStrictEqual(yield* host.state(pull), { state: "merged", mergeCommit: commit })
      repository.git("update-ref", "-d", `refs/heads/${own}`)
      assert.strictEqual(yield* host.merge(pull, message), commit)
      assert.strictEqual(repository.head("main"), commit)
    })
  )

  it.scoped(`${name} merges onto a base that moved, and finds the merge when the base moved on`, () =>
    Effect.gen(function* () {
      const { host, pull, repository } = yield* proposed()
      repository.commit("main", { "fees.txt": lines([1, "first"]) })
      const commit = yield* host.merge(pull, message)
      assert.strictEqual(repository.file("main", "fees.txt"), lines([1, "first"], [5, "rounded"]).trim())
      repository.commit("main", { later: "" })
      assert.deepStrictEqual(yield* host.state(pull), { state: "merged", mergeCommit: commit })
      assert.strictEqual(yield* host.merge(pull, message), commit)
    })
  )

  long(() =>
    it.scoped(`${name} sees what others merged: by moving the base forward, or within another merge`, () =>
      Effect.gen(function* () {
        const { head, host, pull, repository } = yield* proposed()
        repository.git("update-ref", "refs/heads/main", head)
        assert.deepStrictEqual(yield* host.state(pull), { state: "merged", mergeCommit: head })
        const other = repository.commit("other", { other: "" }, { from: `refs/heads/${own}` })
        repository.git("update-ref", "refs/heads/main", `${head}~1`)
        repository.commit("main", { meanwhile: "" })
        const merge = yield* host.merge({ ...pull, branch: branch("other"), head: other }, "Merge another")
        assert.deepStrictEqual(yield* host.state(pull), { state: "merged", mergeCommit: merge })
      })
    )
  )

  it.scoped(`${name} does not merge a branch that moved, and leaves the base as it is`, () =>
    Effect.gen(function* () {
      const { head, host, pull, repository } = yield* proposed()
      const before = repository.head("main")
      const moved = repository.commit(own, { sneaked: "in" })
      const refused = yield* Effect.flip(host.merge(pull, message))
      assert.deepInclude<object>(refused, { _tag: "BranchMoved", expected: head, found: moved })
      assert.include(refused.message, head)
      assert.include(refused.message, moved)
      assert.strictEqual(repository.head("main"), before)
    })
  )

  it.scoped(`${name} names the files of a conflict, and leaves the base as it is`, () =>
    Effect.gen(function* () {
      const { host, pull, repository } = yield* proposed()
      const before = repository.commit("main", { "fees.txt": lines([5, "doubled"]) })
      const refused = yield* Effect.flip(host.merge(pull, message))
      assert.deepInclude<object>(refused, { _tag: "MergeConflict", files: ["fees.txt"] })
      assert.strictEqual(repository.head("main"), before)
    })
  )

  it.scoped(`${name} loses none of several merges at once`, () =>
    Effect.gen(function* () {
      const { address, host, repository } = yield* place
      const pulls = Array.from({ length: 4 }, (_, index) => {
        const name = `gatehouse/PAY-${index}`
        const head = repository.commit(name, { [`file-${index}`]: "" }, { from: "main" })
        return pullRequest(address, head, { branch: branch(name), number: PullRequestNumber.make(index + 1) })
      })
      const twice = [...pulls, ...pulls]
      const commits = yield* Effect.forEach(twice, (one) => host.merge(one, `Merge #${one.number}`), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(commits).size, 4)
      assert.strictEqual(repository.git("rev-list", "--count", "--merges", "main"), "4")
      for (const one of pulls) assert.strictEqual((yield* host.state(one)).state, "merged")
    })
  )

  it.scoped(`${name} reverts a merge on a branch of its own, as git itself does, once`, () =>
    Effect.gen(function* () {
      const { address, host, pull, repository } = yield* proposed()
      const commit = yield* host.merge(pull, message)
      const main = repository.commit("main", { "fees.txt": lines([1, "first"], [5, "rounded"]) })
      const revert = {
        repository: address,
        base: branch("main"),
        commit,
        branch: branch("revert-7"),
        message: 'Revert "Round"'
      }
      const head = yield* host.revert(revert)
      assert.strictEqual(repository.head("revert-7"), head)
      assert.strictEqual(repository.git("log", "-1", "--format=%P", head), main)
      assert.include(repository.git("log", "-1", "--format=%B", head), `This reverts commit ${commit}`)
      assert.strictEqual(repository.file("revert-7", "fees.txt"), lines([1, "first"]).trim())
      assert.strictEqual(yield* host.revert(revert), head)
      repository.git("worktree", "add", "--quiet", "--detach", `${repository.path}.tree`, "main")
      repository.git("-C", `${repository.path}.tree`, "revert", "--no-edit", "-m", "1", commit)
      const theirs = repository.git("-C", `${repository.path}.tree`, "rev-parse", "HEAD^{tree}")
      assert.strictEqual(repository.git("rev-parse", "revert-7^{tree}"), theirs)
      assert.deepStrictEqual(yield* host.findCommit(address, commit), { commit, isRevert: false })
      const reverting = pullRequest(address, head, { branch: branch("revert-7") })
      const back = yield* host.merge(reverting, "Merge the revert")
      assert.deepStrictEqual(yield* host.findCommit(address, back), { commit: back, isRevert: true })
      assert.deepStrictEqual(yield* host.findCommit(address, head), { commit: head, isRevert: true })
    })
  )

  long(() =>
    it.scoped(`${name} reverts an ordinary commit too, and refuses what cannot be reverted`, () =>
      Effect.gen(function* () {
        const { address, head, host, repository } = yield* proposed()
        const first = repository.head("main")
        const commit = repository.commit("main", { "fees.txt": lines([5, "doubled"]) })
        const wanted = {
          repository: address,
          base: branch("main"),
          commit,
          branch: branch("revert-1"),
          message: "Revert"
        }
        const reverted = yield* host.revert(wanted)
        assert.strictEqual(repository.file(reverted, "fees.txt"), lines().trim())
        const refusal = (more: Partial<typeof wanted>) =>
          Effect.map(Effect.flip(host.revert({ ...wanted, branch: branch("revert-2"), ...more })), (error) => [
            error._tag,
            "isFinal" in error ? error.isFinal : error.files
          ])
        repository.commit("main", { "fees.txt": lines([5, "tripled"]) })
        assert.deepStrictEqual(yield* refusal({}), ["MergeConflict", ["fees.txt"]])
        assert.deepStrictEqual(yield* refusal({ commit: first }), ["HostFailed", true])
        assert.deepStrictEqual(yield* refusal({ commit: head }), ["HostFailed", true])
        assert.deepStrictEqual(yield* refusal({ commit: gone }), ["HostFailed", true])
        assert.deepStrictEqual(yield* refusal({ branch: branch(own) }), ["HostFailed", true])
        repository.commit("main", { "fees.txt": lines() })
        assert.deepStrictEqual(yield* refusal({}), ["HostFailed", true])
      })
    )
  )

  it.scoped(`${name} puts a folder back as the first commit of the branch has it`, () =>
    Effect.gen(function* () {
      const { address, host, repository } = yield* place
      const restore = (base: string | null = "main") =>
        host.restore({
          repository: address,
          branch: branch(own),
          base: base === null ? null : branch(base),
          folder: spec,
          message: "Restore the spec"
        })
      assert.isNull(yield* restore())
      repository.commit(own, { [`${spec}/a`]: "1", [`${spec}/b`]: "2" }, { from: "main" })
      assert.isNull(yield* restore())
      repository.commit("main", { [`${spec}/a`]: "of main" })
      repository.commit(own, { [`${spec}/a`]: "eased", [`${spec}/b`]: null, [`${spec}/c`]: "3", work: "kept" })
      const before = repository.head(own)
      const commit = yield* restore(null)
      assert.strictEqual(repository.head(own), commit)
      assert.strictEqual(repository.git("log", "-1", "--format=%P", own), before)
      const listed = repository.git("ls-tree", "-r", "--name-only", own).split("\n")
      assert.deepStrictEqual(listed, [`${spec}/a`, `${spec}/b`, "README.md", "fees.txt", "work"])
      assert.strictEqual(repository.file(own, `${spec}/a`), "1")
      assert.isNull(yield* restore())
    })
  )

  long(() =>
    it.scoped(`${name} removes a folder that the first commit does not have`, () =>
      Effect.gen(function* () {
        const { address, host, repository } = yield* place
        repository.commit(own, { work: "" }, { from: "main" })
        repository.commit(own, { [`${spec}/a`]: "added later" })
        const wanted = { repository: address, branch: branch(own), base: null, folder: spec, message: "Restore" }
        assert.isNotNull(yield* host.restore(wanted))
        assert.deepStrictEqual(repository.git("ls-tree", "-r", "--name-only", own).split("\n"), [
          "README.md",
          "fees.txt",
          "work"
        ])
      })
    )
  )

  it.scoped(`${name} shows what a pull request changes, before and after its merge`, () =>
    Effect.gen(function* () {
      const { address, host, repository } = yield* place
      repository.commit("main", { "tab\there": "1\n" })
      const head = repository.commit(
        own,
        { "fees.txt": lines([5, "rounded"]), "new.bin": "\0\0", "README.md": null, "docs/README.md": "Pay\n" },
        { from: "main" }
      )
      const pull = pullRequest(address, head)
      const shown = yield* host.difference(pull)
      assert.deepStrictEqual(shown.files, [
        { path: "README.md → docs/README.md", lines: { added: 0, deleted: 0 } },
        { path: "fees.txt", lines: { added: 1, deleted: 1 } },
        { path: "new.bin", lines: null }
      ])
      assert.include(shown.text, "-line 5\n+rounded\n")
      assert.isFalse(shown.isCut)
      repository.commit("main", { meanwhile: "not in it" })
      const mergeCommit = yield* host.merge(pull, message)
      repository.commit("main", { "fees.txt": lines() })
      assert.deepStrictEqual(yield* host.difference({ ...pull, state: "merged", mergeCommit }), shown)
      const large = repository.commit("large", { large: "a line of text\n".repeat(30_000) }, { from: "main" })
      const cut = yield* host.difference(pullRequest(address, large, { branch: branch("large") }))
      assert.deepStrictEqual([cut.isCut, cut.text.length <= 200_000], [true, true])
    })
  )

  it.scoped(`${name} answers nothing about a repository that is not there, and may be asked again`, () =>
    Effect.gen(function* () {
      const { address, head, host } = yield* proposed()
      const pull = pullRequest(`${address}.missing`, head)
      const tries = [host.open(pull), host.merge(pull, message), host.state(pull), host.difference(pull)]
      for (const asked of tries) {
        const answer = yield* Effect.either(asked as Effect.Effect<unknown, { readonly _tag: string }>)
        assert.deepInclude<object>(Either.getOrThrow(Either.flip(answer)), { _tag: "HostFailed", isFinal: false })
      }
    })
  )
}
