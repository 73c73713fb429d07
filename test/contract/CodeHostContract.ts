import { assert, it } from "@effect/vitest"
import { Effect, Either, type Scope } from "effect"
import { PullRequestNumber } from "../../domain/codehost/PullRequestRecord.ts"
import { gone, own, type Place, proposedAt, pullRequest } from "../codehost/Proposal.ts"
import { branch, lines } from "../codehost/Repositories.ts"
import { isLong, long } from "../support/Long.ts"

/** How hosts differ. */
export interface Traits {
  /** True for a host with pull requests of its own: it learns of branches by pushes, and names no files of a conflict. */
  readonly isForge: boolean
}

/** Rules that every code host keeps. */
export const codeHostContract = <E>(
  name: string,
  place: Effect.Effect<Place, E, Scope.Scope>,
  { isForge }: Traits = { isForge: false }
) => {
  const proposed = (text?: string) => proposedAt(place, text)

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
      assert.deepInclude<object>(yield* host.state(pull), { state: "open", mergeCommit: null })
      const moved = repository.commit(own, { more: "" })
      const refused = yield* Effect.flip(host.open(pull))
      assert.deepInclude<object>(refused, { _tag: "BranchMoved", expected: head, found: moved })
      repository.git("update-ref", "-d", `refs/heads/${own}`)
      assert.deepInclude<object>(yield* Effect.flip(host.open(pull)), { _tag: "BranchMoved", found: null })
      if (!isForge) assert.deepInclude<object>(yield* host.state(pull), { state: "closed", mergeCommit: null })
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
      assert.deepInclude<object>(yield* host.state(pull), { state: "merged", mergeCommit: commit })
      repository.git("update-ref", "-d", `refs/heads/${own}`)
      assert.strictEqual(yield* host.merge(pull, message), commit)
      assert.strictEqual(repository.head("main"), commit)
    })
  )

  long(() => {
    it.scoped(`${name} merges onto a base that moved, and finds the merge when the base moved on`, () =>
      Effect.gen(function* () {
        const { host, pull, repository } = yield* proposed()
        repository.commit("main", { "fees.txt": lines([1, "first"]) })
        const commit = yield* host.merge(pull, message)
        assert.strictEqual(repository.file("main", "fees.txt"), lines([1, "first"], [5, "rounded"]).trim())
        repository.commit("main", { later: "" })
        assert.deepInclude<object>(yield* host.state(pull), { state: "merged", mergeCommit: commit })
        assert.strictEqual(yield* host.merge(pull, message), commit)
      })
    )
  })

  /** For hosts whose branches others may move behind their back. */
  const repositoryOnly = isForge ? () => {} : it.scoped
  long(() =>
    repositoryOnly(`${name} sees what others merged: by moving the base forward, or within another merge`, () =>
      Effect.gen(function* () {
        const { head, host, pull, repository } = yield* proposed()
        repository.git("update-ref", "refs/heads/main", head)
        assert.deepInclude<object>(yield* host.state(pull), { state: "merged", mergeCommit: head })
        const other = repository.commit("other", { other: "" }, { from: `refs/heads/${own}` })
        repository.git("update-ref", "refs/heads/main", `${head}~1`)
        repository.commit("main", { meanwhile: "" })
        const merge = yield* host.merge({ ...pull, branch: branch("other"), head: other }, "Merge another")
        assert.deepInclude<object>(yield* host.state(pull), { state: "merged", mergeCommit: merge })
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
      assert.deepInclude<object>(refused, { _tag: "MergeConflict", files: isForge ? [] : ["fees.txt"] })
      assert.strictEqual(repository.head("main"), before)
    })
  )

  long(() => {
    it.scoped(`${name} loses none of several merges at once`, () =>
      Effect.gen(function* () {
        const { address, host, repository } = yield* place
        const pulls = Array.from({ length: isLong ? 4 : 2 }, (_, index) => {
          const name = `gatehouse/PAY-${index}`
          const head = repository.commit(name, { [`file-${index}`]: "" }, { from: "main" })
          return pullRequest(address, head, { branch: branch(name), number: PullRequestNumber.make(index + 1) })
        })
        const twice = [...pulls, ...pulls]
        const commits = yield* Effect.forEach(twice, (one) => host.merge(one, `Merge #${one.number}`), {
          concurrency: "unbounded"
        })
        assert.strictEqual(new Set(commits).size, pulls.length)
        assert.strictEqual(repository.git("rev-list", "--count", "--merges", "main"), String(pulls.length))
        for (const one of pulls) assert.strictEqual((yield* host.state(one)).state, "merged")
      })
    )
  })

  repositoryOnly(`${name} shows what a pull request changes, before and after its merge`, () =>
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
