import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as LocalCodeHost from "../../adapters/localgit/LocalCodeHost.ts"
import type { CommitId } from "../../domain/codehost/PullRequestRecord.ts"
import { pullRequest } from "./Proposal.ts"
import { long } from "../support/Long.ts"
import { bare, branch, folder, git, lines, repositoryAt, spec } from "./Repositories.ts"

const host = LocalCodeHost.make({ email: "gatehouse@acme.test" })
const own = "gatehouse/PAY-1-run-aaaa"

/** Does everything that the host can do, whatever comes of it. */
const everything = (address: string, head: CommitId) =>
  Effect.gen(function* () {
    const pull = pullRequest(address, head)
    const main = branch("main")
    const restored = { repository: address, branch: branch(own), base: null, folder: spec, message: "Restore" }
    const before = yield* Effect.exit(host.difference(pull))
    const opened = yield* Effect.exit(host.open(pull))
    const commit = yield* Effect.option(host.merge(pull, "Merge"))
    const after = yield* Effect.exit(host.state(pull))
    if (commit._tag === "Some") {
      const revert = {
        repository: address,
        base: main,
        commit: commit.value,
        branch: branch("revert-7"),
        message: "Revert"
      }
      yield* Effect.exit(host.revert(revert))
      yield* Effect.exit(host.difference({ ...pull, mergeCommit: commit.value }))
    }
    yield* Effect.exit(host.findCommit(address, head.slice(0, 8)))
    yield* Effect.exit(host.restore(restored))
    return { before, opened, commit, after }
  })

const hooks = [
  "applypatch-msg",
  "commit-msg",
  "fsmonitor-watchman",
  "post-checkout",
  "post-commit",
  "post-merge",
  "post-receive",
  "post-rewrite",
  "post-update",
  "pre-commit",
  "pre-merge-commit",
  "pre-receive",
  "prepare-commit-msg",
  "proc-receive",
  "reference-transaction",
  "update"
]

const settings = [
  "core.fsmonitor",
  "core.pager",
  "core.editor",
  "core.sshCommand",
  "core.askPass",
  "core.alternateRefsCommand",
  "core.gitProxy",
  "pager.log",
  "pager.diff",
  "gpg.program",
  "gpg.ssh.program",
  "diff.external",
  "diff.evil.command",
  "diff.evil.textconv",
  "merge.evil.driver",
  "filter.evil.clean",
  "filter.evil.smudge",
  "filter.evil.process",
  "credential.helper",
  "sequence.editor",
  "interactive.diffFilter",
  "uploadpack.packObjectsHook",
  "trailer.evil.command",
  "alias.merge-tree",
  "alias.update-ref",
  "alias.log",
  "remote.origin.uploadpack",
  "remote.origin.vcs"
]

it.scoped("no hook, setting, attribute or variable of a repository or its caller runs a program", () =>
  Effect.gen(function* () {
    const repository = yield* bare
    const trace = join(repository.path, "ran")
    const evil = join(repository.path, "evil")
    writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${trace}\ncat\n`)
    chmodSync(evil, 0o755)
    for (const hook of hooks) {
      writeFileSync(join(repository.path, "hooks", hook), `#!/bin/sh\necho ${hook} >> ${trace}\n`)
      chmodSync(join(repository.path, "hooks", hook), 0o755)
    }
    const attributes = "* diff=evil merge=evil filter=evil\n"
    repository.commit("main", { ".gitattributes": attributes })
    writeFileSync(join(repository.path, "info", "attributes"), attributes)
    repository.commit(own, { [`${spec}/check`]: "exit 1" }, { from: "main" })
    const head = repository.commit(own, { "fees.txt": lines([5, "rounded"]), [`${spec}/check`]: "exit 0" })
    repository.commit("main", { "fees.txt": lines([1, "first"]) })
    const values = settings.map((name) => `${name}=${evil}`)
    for (const value of values) {
      const [name = "", program = ""] = value.split("=")
      repository.git("config", name, program)
    }
    for (const [name, value] of [
      ["commit.gpgSign", "true"],
      ["log.showSignature", "true"],
      ["core.hooksPath", join(repository.path, "hooks")],
      ["extensions.partialClone", "origin"],
      ["remote.origin.promisor", "true"],
      ["remote.origin.url", `ext::${evil}`],
      ["include.path", join(repository.path, "more")]
    ] as const)
      repository.git("config", name, value)
    // The commits above ran hooks, as they do for people.
    assert.include(readFileSync(trace, "utf8"), "reference-transaction")
    rmSync(trace)
    const { after, commit, opened } = yield* everything(repository.path, head)
    assert.deepStrictEqual([opened._tag, commit._tag, after._tag], ["Success", "Some", "Success"])
    assert.isFalse(existsSync(trace))
  })
)

long(() => {
  it.scoped("nothing is checked out: links and modules of a branch stay texts, and no file is left behind", () =>
    Effect.gen(function* () {
      const repository = yield* bare
      const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith(`gatehouse-git-${process.pid}-`))
      const before = left()
      const tree = repository.git("rev-parse", "main^{tree}")
      const link = git(repository.path, ["hash-object", "-w", "--stdin"], "/etc/passwd")
      const listed = `${repository.git("ls-tree", tree)}\n120000 blob ${link}\tlink\n160000 commit ${repository.head("main")}\tmodule\n`
      const planted = git(repository.path, ["mktree", "--missing"], listed)
      const head = repository.git("commit-tree", planted, "-p", "main", "-m", "Links") as CommitId
      repository.git("update-ref", `refs/heads/${own}`, head)
      const { before: difference, commit } = yield* everything(repository.path, head)
      assert.strictEqual(commit._tag, "Some")
      assert.include(JSON.stringify(difference), "/etc/passwd")
      assert.notInclude(JSON.stringify(difference), "root:")
      assert.deepStrictEqual(left(), before)
    })
  )
})

long(() => {
  it.scoped("a repository that borrows objects, is linked, or is somewhere else is refused with the way out", () =>
    Effect.gen(function* () {
      const repository = yield* bare
      const head = repository.head("main")
      const place = yield* folder
      const refusal = (path: string) =>
        Effect.map(Effect.flip(host.branchHead(path, branch("main"))), ({ isFinal, reason }) => {
          assert.isFalse(isFinal)
          return reason
        })
      git(place, ["clone", "--quiet", "--shared", "--bare", repository.path, "borrowing.git"])
      assert.include(yield* refusal(join(place, "borrowing.git")), "git repack -a -d")
      git(place, ["clone", "--quiet", repository.path, "work"])
      git(place, ["-C", "work", "worktree", "add", "--quiet", join(place, "linked"), "-b", "linked"])
      assert.include(yield* refusal(join(place, "linked")), "linked worktree")
      assert.include(yield* refusal(join(place, "work", ".git", "worktrees", "linked")), "is not a folder")
      const moved = join(place, "moved.git")
      git(place, ["init", "--quiet", "--bare", moved])
      renameSync(join(moved, "objects"), join(place, "objects"))
      symlinkSync(join(place, "objects"), join(moved, "objects"))
      assert.include(yield* refusal(moved), "is not a folder")
      assert.include(yield* refusal(join(place, "none")), "There is no git repository")
      assert.include(yield* refusal(place), "There is no git repository")
      assert.strictEqual(yield* host.branchHead(`file://${repository.path}`, branch("main")), head)
    })
  )
})

it.scoped("a branch that is checked out is not written, and the refusal names the folder and the way out", () =>
  Effect.gen(function* () {
    const place = yield* folder
    git(place, ["init", "--quiet", "--initial-branch=main", "work"])
    const repository = repositoryAt(join(place, "work"))
    const inside = repositoryAt(join(place, "work", ".git"))
    inside.commit("main", { "fees.txt": lines() })
    const head = inside.commit(own, { "fees.txt": lines([5, "rounded"]) }, { from: "main" })
    const pull = pullRequest(repository.path, head)
    for (const refused of [yield* Effect.flip(host.open(pull)), yield* Effect.flip(host.merge(pull, "Merge"))]) {
      assert.deepInclude<object>(refused, { _tag: "HostFailed", isFinal: false })
      assert.include(refused.message, repository.path)
      assert.include(refused.message, "git config core.bare true")
    }
    repository.git("symbolic-ref", "HEAD", "refs/heads/parked")
    const commit = yield* host.merge(pull, "Merge")
    assert.strictEqual(inside.head("main"), commit)
  })
)

long(() =>
  it.scoped("a branch that is a link to another, or points at no commit, is refused", () =>
    Effect.gen(function* () {
      const repository = yield* bare
      const head = repository.commit(own, { work: "" }, { from: "main" })
      repository.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
      const refused = yield* Effect.flip(host.open(pullRequest(repository.path, head, { base: branch("alias") })))
      assert.deepInclude<object>(refused, { _tag: "HostFailed", isFinal: true })
      const missing = yield* Effect.flip(host.open(pullRequest(repository.path, head, { base: branch("none") })))
      assert.deepInclude<object>(missing, { _tag: "HostFailed", isFinal: true })
    })
  )
)

long(() =>
  it.scoped("a branch without a common history is not merged", () =>
    Effect.gen(function* () {
      const repository = yield* bare
      const head = repository.commit("stranger", { work: "" })
      const pull = pullRequest(repository.path, head, { branch: branch("stranger") })
      assert.deepInclude<object>(yield* Effect.flip(host.merge(pull, "Merge")), { _tag: "HostFailed", isFinal: true })
      assert.deepStrictEqual((yield* host.difference(pull)).files, [])
    })
  )
)

long(() =>
  it.scoped("a repository with SHA-256 ids is served too", () =>
    Effect.gen(function* () {
      const place = yield* folder
      git(place, ["init", "--quiet", "--bare", "--initial-branch=main", "--object-format=sha256", "pay.git"])
      const repository = repositoryAt(join(place, "pay.git"))
      repository.commit("main", { "fees.txt": lines() })
      const head = repository.commit(own, { "fees.txt": lines([5, "rounded"]) }, { from: "main" })
      const pull = pullRequest(repository.path, head)
      assert.strictEqual((yield* host.merge(pull, "Merge")).length, 64)
    })
  )
)
