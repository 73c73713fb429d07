/** Commits and trees that a client writes itself, and merges of branches. */
import { created, empty, type Handlers, ok, refuse, textOf } from "./Answer.ts"
import { reached } from "./Reach.ts"
import * as Git from "./Git.ts"
import { refreshRefs } from "./Refs.ts"
import * as Shapes from "./Shapes.ts"
import * as State from "./State.ts"
import { inTurn } from "./World.ts"

const infoOf = async (repository: State.Repository, sha: string) => {
  const [found] = await Git.log(repository.path, ["-n", "1", sha], State.timestamp)
  if (found === undefined) throw refuse(404, "Not Found")
  return found
}

interface Entry {
  readonly path: string
  readonly mode: string
  readonly type: string
  readonly sha: string | null
}

/** Index of a tree that is changed and written again. */
const writeTree = async (repository: State.Repository, base: string, entries: ReadonlyArray<Entry>) => {
  const index = `${repository.path}/index-of-${process.hrtime.bigint()}`
  const variables = { GIT_INDEX_FILE: index }
  const run = (args: ReadonlyArray<string>, input = "") => Git.git(repository.path, args, { input, variables })
  await run(["read-tree", base])
  const lines = entries.map(({ mode, path, sha }) =>
    sha === null ? `0 ${"0".repeat(40)}\t${path}` : `${mode} ${sha}\t${path}`
  )
  await run(["update-index", "--index-info"], `${lines.join("\n")}\n`)
  return run(["write-tree"])
}

const treeShape = async (api: string, repository: State.Repository, tree: string, isRecursive: boolean) => {
  const flags = isRecursive ? ["-r", "-t"] : []
  const out = await Git.git(repository.path, ["ls-tree", "-z", "--long", ...flags, tree])
  const rows = out.split("\0").filter((row) => row !== "")
  return {
    sha: tree,
    url: `${api}/git/trees/${tree}`,
    truncated: false,
    tree: rows.map((row) => {
      const [head = "", path = ""] = row.split("\t")
      const [mode = "", type = "", sha = "", size = "-"] = head.split(/ +/)
      return {
        path,
        mode,
        type,
        sha,
        url: `${api}/git/${type}s/${sha}`,
        ...(size === "-" ? {} : { size: Number(size) })
      }
    })
  }
}

const isTree = async (repository: State.Repository, name: string) =>
  (await Git.tryGit(repository.path, ["rev-parse", "--verify", "--quiet", `${name}^{tree}`])).code === 0

export const objectRoutes: Handlers = {
  "git/create-commit": async (call) => {
    const { repository, user } = reached(call, "contents", "write")
    const tree = textOf(call.body["tree"]) ?? ""
    if (!(await isTree(repository, tree))) throw refuse(422, "Tree SHA does not exist")
    const parents = (call.body["parents"] ?? []) as ReadonlyArray<string>
    const by = Git.signedBy(Git.personOf(user), call.world.clock.now())
    const message = textOf(call.body["message"]) ?? ""
    const sha = await Git.commitTree(repository.path, tree, parents, message, by)
    return created(Shapes.gitCommitShape(call.world, repository, await infoOf(repository, sha)))
  },
  "git/get-tree": async (call) => {
    const { repository } = reached(call, "contents", "read")
    const name = call.parameters["tree_sha"] ?? ""
    if (!(await isTree(repository, name))) throw refuse(404, "Not Found")
    const tree = await Git.git(repository.path, ["rev-parse", `${name}^{tree}`])
    const api = Shapes.repositoryApi(call.world, repository)
    return ok(await treeShape(api, repository, tree, call.query.has("recursive")))
  },
  "git/create-tree": async (call) => {
    const { repository } = reached(call, "contents", "write")
    const base = textOf(call.body["base_tree"]) ?? ""
    const tree = await writeTree(repository, base, call.body["tree"] as ReadonlyArray<Entry>)
    return created(await treeShape(Shapes.repositoryApi(call.world, repository), repository, tree, false))
  },
  "repos/merge": (call) => {
    const { repository, user } = reached(call, "contents", "write")
    return inTurn(repository, async () => {
      const [name, head] = [textOf(call.body["base"]) ?? "", textOf(call.body["head"]) ?? ""]
      const [ours, theirs] = [
        await Git.commitOf(repository.path, `refs/heads/${name}`),
        await Git.commitOf(repository.path, head)
      ]
      if (ours === null || theirs === null) throw refuse(404, "Not Found")
      if (await Git.isAncestor(repository.path, theirs, ours)) return empty
      const tree = await Git.mergedTree(repository.path, ours, theirs)
      if (tree === null) throw refuse(409, "Merge conflict")
      const by = Git.signedBy(Git.personOf(user), call.world.clock.now())
      const message = textOf(call.body["commit_message"]) ?? `Merge ${head} into ${name}`
      const sha = await Git.commitTree(repository.path, tree, [ours, theirs], message, by)
      await Git.moveRef(repository.path, `refs/heads/${name}`, sha, ours)
      await refreshRefs(call.world, repository, user)
      return created(Shapes.commitShape(call.world, repository, await infoOf(repository, sha)))
    })
  }
}
