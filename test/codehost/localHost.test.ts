import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { statSync } from "node:fs"
import { join } from "node:path"
import * as LocalCodeHost from "../../adapters/localgit/LocalCodeHost.ts"
import { codeHostContract } from "../contract/CodeHostContract.ts"
import { pullRequest } from "./Proposal.ts"
import { codeHostRevertContract } from "../contract/CodeHostRevertContract.ts"
import { long } from "../support/Long.ts"
import { bare, folder, git, repositoryAt } from "./Repositories.ts"

const host = LocalCodeHost.make({ email: "gatehouse@acme.test" })

const place = Effect.map(bare, (repository) => ({ host, address: repository.path, repository }))

codeHostContract("the local code host", place)
codeHostRevertContract("the local code host", place)

long(() =>
  it.scoped("objects and branches of a shared repository are for its group", () =>
    Effect.gen(function* () {
      const place = yield* folder
      git(place, ["init", "--quiet", "--bare", "--shared=group", "--initial-branch=main", "pay.git"])
      const repository = repositoryAt(join(place, "pay.git"))
      repository.commit("main", { first: "" })
      const head = repository.commit("gatehouse/PAY-1-run-aaaa", { second: "" }, { from: "main" })
      const commit = yield* host.merge(pullRequest(repository.path, head), "Merge")
      const written = ["objects", commit.slice(0, 2)]
      assert.strictEqual(statSync(join(repository.path, ...written)).mode & 0o070, 0o070)
      assert.strictEqual(statSync(join(repository.path, "refs", "heads", "main")).mode & 0o060, 0o060)
    })
  )
)
