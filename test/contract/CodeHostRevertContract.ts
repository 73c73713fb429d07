import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { CommitId } from "../../domain/codehost/PullRequestRecord.ts"
import { branch, lines, spec } from "../codehost/Repositories.ts"
import { long } from "../support/Long.ts"
import { gone, own, type Place, proposedAt, pullRequest } from "../codehost/Proposal.ts"
import type { Traits } from "./CodeHostContract.ts"

/** How every code host takes changes back. */
export const codeHostRevertContract = <E>(
  name: string,
  place: Effect.Effect<Place, E, Scope.Scope>,
  { isForge }: Traits = { isForge: false }
) => {
  const proposed = () => proposedAt(place)
  const message = "Merge pull request #7: Round the fees"

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
      const { head } = yield* host.revert(revert)
      assert.strictEqual(repository.head("revert-7"), head)
      assert.include(repository.git("log", "-1", "--format=%P", head), main)
      assert.include(repository.git("log", "-1", "--format=%B", head), `This reverts commit ${commit}`)
      assert.strictEqual(repository.file("revert-7", "fees.txt"), lines([1, "first"]).trim())
      assert.strictEqual((yield* host.revert(revert)).head, head)
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
        const first = CommitId.make(repository.git("rev-list", "--max-parents=0", "main"))
        const commit = repository.commit("main", { "fees.txt": lines([5, "doubled"]) })
        const wanted = {
          repository: address,
          base: branch("main"),
          commit,
          branch: branch("revert-1"),
          message: "Revert"
        }
        const { head: reverted } = yield* host.revert(wanted)
        assert.strictEqual(repository.file(reverted, "fees.txt"), lines().trim())
        const refusal = (more: Partial<typeof wanted>) =>
          Effect.map(Effect.flip(host.revert({ ...wanted, branch: branch("revert-2"), ...more })), (error) => [
            error._tag,
            "isFinal" in error ? error.isFinal : error.files
          ])
        repository.commit("main", { "fees.txt": lines([5, "tripled"]) })
        assert.deepStrictEqual(yield* refusal({}), ["MergeConflict", isForge ? [] : ["fees.txt"]])
        assert.deepStrictEqual(yield* refusal({ commit: first }), ["HostFailed", true])
        assert.deepStrictEqual(yield* refusal({ commit: head }), ["HostFailed", true])
        assert.deepStrictEqual(yield* refusal({ commit: gone }), ["HostFailed", true])
        assert.deepStrictEqual(yield* refusal({ branch: branch(own) }), ["HostFailed", true])
        repository.commit("main", { "fees.txt": lines() })
        assert.deepStrictEqual(yield* refusal({}), ["HostFailed", true])
      })
    )
  )

  long(() => {
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
  })

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
}
