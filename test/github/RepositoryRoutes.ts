import { type Call, created, empty, type Handlers, listed, ok, refuse, requireToken, textOf } from "./Answer.ts"
import { isAtLeast, roleNameOf, roleOf } from "./Auth.ts"
import * as Git from "./Git.ts"
import { fileShape } from "./PullRoutes.ts"
import { reached, requireCommit } from "./Reach.ts"
import { refreshRefs, refShape } from "./Refs.ts"
import * as Shapes from "./Shapes.ts"
import * as State from "./State.ts"
import { inTurn, type World } from "./World.ts"

const one = async (repository: State.Repository, sha: string): Promise<Git.CommitInfo> => {
  const commit = await Git.infoOf(repository.path, sha, State.timestamp)
  if (commit === undefined) throw refuse(404, "Not Found")
  return commit
}

const branchCommit = async (repository: State.Repository, branch: string) => {
  const sha = await Git.commitOf(repository.path, `refs/heads/${branch}`)
  if (sha === null) throw refuse(404, "Branch not found")
  return sha
}

const protectionShape = (url: string, rules: State.Protection | undefined) =>
  rules === undefined
    ? { enabled: false, required_status_checks: { enforcement_level: "off", contexts: [], checks: [] } }
    : {
        url,
        enabled: true,
        required_status_checks: {
          url: `${url}/required_status_checks`,
          enforcement_level: "everyone",
          contexts: rules.requiredChecks,
          checks: rules.requiredChecks.map((context) => ({ context, app_id: null })),
          strict: rules.isStrict
        }
      }

const branchShape = async (world: World, repository: State.Repository, name: string) => {
  const url = `${Shapes.repositoryApi(world, repository)}/branches/${name}`
  const rules = repository.protections.get(name)
  return {
    name,
    commit: Shapes.commitShape(world, repository, await one(repository, await branchCommit(repository, name))),
    _links: { self: url, html: `${Shapes.repositoryPage(world, repository)}/tree/${name}` },
    protected: rules !== undefined,
    protection: protectionShape(`${url}/protection`, rules),
    protection_url: `${url}/protection`
  }
}

const rulesShape = (repository: State.Repository, branch: string) => {
  const rules = repository.protections.get(branch)
  if (rules === undefined) return []
  const source = { ruleset_source_type: "Repository", ruleset_source: State.fullName(repository), ruleset_id: 1 }
  const queue = {
    check_response_timeout_minutes: 60,
    grouping_strategy: "ALLGREEN",
    max_entries_to_build: 5,
    max_entries_to_merge: 5,
    merge_method: "MERGE",
    min_entries_to_merge: 1,
    min_entries_to_merge_wait_minutes: 5
  }
  const reviews = {
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_approving_review_count: rules.reviews,
    required_review_thread_resolution: false
  }
  const checks = {
    required_status_checks: rules.requiredChecks.map((context) => ({ context })),
    strict_required_status_checks_policy: rules.isStrict
  }
  return [
    ...(rules.mergeQueue ? [{ type: "merge_queue", parameters: queue, ...source }] : []),
    ...(rules.reviews > 0 ? [{ type: "pull_request", parameters: reviews, ...source }] : []),
    ...(rules.requiredChecks.length > 0 ? [{ type: "required_status_checks", parameters: checks, ...source }] : [])
  ]
}

const changeRef = (call: Call, change: (repository: State.Repository, ref: string) => Promise<unknown>) => {
  const { repository, user } = reached(call, "contents", "write")
  return inTurn(repository, async () => {
    const ref = textOf(call.body["ref"]) ?? `refs/${call.parameters["ref"]}`
    if (!/^refs\/(heads|tags)\/./.test(ref))
      throw refuse(422, "Reference name must start with 'refs/' and contain at least two slashes.")
    if (repository.protections.has(ref.replace("refs/heads/", "")))
      throw refuse(422, "Repository rule violations found\n\nChanges must be made through a pull request.\n\n")
    await change(repository, ref)
    await refreshRefs(call.world, repository, user)
    const sha = repository.refs.get(ref)
    return sha === undefined ? empty : { ref, sha, repository }
  })
}

const changedRef = async (call: Call, change: (repository: State.Repository, ref: string) => Promise<unknown>) => {
  const done = await changeRef(call, change)
  return "status" in done
    ? refuse(500, "The reference is gone").refusal.body
    : refShape(call.world, done.repository, done.ref, done.sha)
}

const wantedSha = async (call: Call, repository: State.Repository) => {
  const sha = textOf(call.body["sha"]) ?? ""
  if ((await Git.commitOf(repository.path, sha)) === null) throw refuse(422, "Object does not exist")
  return sha
}

const range = async (call: Call, repository: State.Repository) => {
  const [from = "", to = ""] = (call.parameters["basehead"] ?? "").split("...")
  const [base, head] = [await Git.commitOf(repository.path, from), await Git.commitOf(repository.path, to)]
  if (base === null || head === null) throw refuse(404, "Not Found")
  return { base, head, fork: await Git.git(repository.path, ["merge-base", base, head]) }
}

const comparison = async (call: Call) => {
  const { repository } = reached(call, "contents", "read")
  const { world } = call
  const { base, head, fork } = await range(call, repository)
  const shape = (commit: Git.CommitInfo) => Shapes.commitShape(world, repository, commit)
  const ahead = (await Git.log(repository.path, [`${base}..${head}`], State.timestamp)).toReversed()
  const behind = Number(await Git.git(repository.path, ["rev-list", "--count", `${head}..${base}`]))
  const page = `${Shapes.repositoryPage(world, repository)}/compare/${call.parameters["basehead"]}`
  const files = await Git.changesBetween(repository.path, fork, head)
  return ok({
    url: `${Shapes.repositoryApi(world, repository)}/compare/${call.parameters["basehead"]}`,
    html_url: page,
    permalink_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    base_commit: shape(await one(repository, base)),
    merge_base_commit: shape(await one(repository, fork)),
    status: ahead.length === 0 ? (behind === 0 ? "identical" : "behind") : behind === 0 ? "ahead" : "diverged",
    ahead_by: ahead.length,
    behind_by: behind,
    total_commits: ahead.length,
    commits: ahead.map(shape),
    files: files.map((file) => fileShape(world, repository, head, file))
  })
}

const wholeCommit = async (call: Call) => {
  const { repository } = reached(call, "contents", "read")
  const commit = await one(repository, await requireCommit(repository, call.parameters["ref"] ?? ""))
  const [parent] = commit.parents
  const files = parent === undefined ? [] : await Git.changesBetween(repository.path, parent, commit.sha)
  const [additions, deletions] = [
    files.reduce((n, f) => n + f.additions, 0),
    files.reduce((n, f) => n + f.deletions, 0)
  ]
  return ok({
    ...Shapes.commitShape(call.world, repository, commit),
    stats: { additions, deletions, total: additions + deletions },
    files: files.map((file) => fileShape(call.world, repository, commit.sha, file))
  })
}

export const repositoryRoutes: Handlers = {
  "repos/get": (call) => {
    const { repository, token } = reached(call, "metadata", "read")
    const role = token.installation === null ? roleOf(repository, token.user) : "read"
    const permissions = { admin: isAtLeast(role, "admin"), push: isAtLeast(role, "write"), pull: true }
    return ok({ ...Shapes.fullRepositoryShape(call.world, repository), permissions })
  },
  "repos/list-for-authenticated-user": (call) => {
    const token = requireToken(call)
    const all = [...call.world.repositories.values()].filter(
      (each) => isAtLeast(roleOf(each, token.user), "read") && (token.repositories?.has(each.id) ?? true)
    )
    return listed(call, all, (each) => Shapes.repositoryShape(call.world, each))
  },
  "repos/list-branches": async (call) => {
    const { repository } = reached(call, "contents", "read")
    const branches = [...(await Git.refsOf(repository.path))].filter(([ref]) => ref.startsWith("refs/heads/"))
    return listed(call, branches, ([ref, sha]) => {
      const name = ref.slice("refs/heads/".length)
      const url = `${Shapes.repositoryApi(call.world, repository)}/commits/${sha}`
      return { name, commit: { sha, url }, protected: repository.protections.has(name) }
    })
  },
  "repos/get-branch": async (call) => {
    const { repository } = reached(call, "contents", "read")
    return ok(await branchShape(call.world, repository, call.parameters["branch"] ?? ""))
  },
  "repos/get-branch-protection": (call) => {
    const { repository } = reached(call, "administration", "read")
    const branch = call.parameters["branch"] ?? ""
    const rules = repository.protections.get(branch)
    if (rules === undefined) throw refuse(404, "Branch not protected")
    return ok(protectionShape(`${Shapes.repositoryApi(call.world, repository)}/branches/${branch}/protection`, rules))
  },
  "repos/get-branch-rules": (call) =>
    ok(rulesShape(reached(call, "metadata", "read").repository, call.parameters["branch"] ?? "")),
  "repos/get-commit": wholeCommit,
  "repos/list-commits": async (call) => {
    const { repository } = reached(call, "contents", "read")
    const from = await requireCommit(repository, call.query.get("sha") ?? repository.defaultBranch)
    const commits = await Git.log(repository.path, ["-n", "1000", from], State.timestamp)
    return listed(call, commits, (each) => Shapes.commitShape(call.world, repository, each))
  },
  "repos/compare-commits-with-basehead": comparison,
  "repos/get-collaborator-permission-level": (call) => {
    const { repository } = reached(call, "metadata", "read")
    const user = call.world.users.get((call.parameters["username"] ?? "").toLowerCase())
    if (user === undefined) throw refuse(404, "Not Found")
    const permission = roleOf(repository, user)
    const role = roleNameOf(repository, user)
    const permissions = {
      pull: isAtLeast(permission, "read"),
      triage: role === "triage" || isAtLeast(permission, "write"),
      push: isAtLeast(permission, "write"),
      maintain: role === "maintain" || permission === "admin",
      admin: permission === "admin"
    }
    return ok({
      permission,
      role_name: role,
      user: { ...Shapes.userShape(call.world, user), role_name: role, permissions }
    })
  },
  "git/get-commit": async (call) => {
    const { repository } = reached(call, "contents", "read")
    const sha = await Git.commitOf(repository.path, call.parameters["commit_sha"] ?? "")
    if (sha === null) throw refuse(404, "Not Found")
    return ok(Shapes.gitCommitShape(call.world, repository, await one(repository, sha)))
  },
  "git/get-ref": async (call) => {
    const { repository } = reached(call, "contents", "read")
    const ref = `refs/${call.parameters["ref"]}`
    const sha = (await Git.refsOf(repository.path)).get(ref)
    if (sha === undefined) throw refuse(404, "Not Found")
    return ok(refShape(call.world, repository, ref, sha))
  },
  "git/list-matching-refs": async (call) => {
    const { repository } = reached(call, "contents", "read")
    const prefix = `refs/${call.parameters["ref"]}`
    const refs = [...(await Git.refsOf(repository.path))].filter(([ref]) => ref.startsWith(prefix))
    return ok(refs.map(([ref, sha]) => refShape(call.world, repository, ref, sha)))
  },
  "git/create-ref": async (call) =>
    created(
      await changedRef(call, async (repository, ref) => {
        const sha = await wantedSha(call, repository)
        if (!(await Git.moveRef(repository.path, ref, sha, "0".repeat(40))))
          throw refuse(422, "Reference already exists")
      })
    ),
  "git/update-ref": async (call) =>
    ok(
      await changedRef(call, async (repository, ref) => {
        const sha = await wantedSha(call, repository)
        const old = await Git.commitOf(repository.path, ref)
        if (old === null) throw refuse(422, "Reference does not exist")
        const isForward = await Git.isAncestor(repository.path, old, sha)
        if (!isForward && call.body["force"] !== true) throw refuse(422, "Update is not a fast forward")
        await Git.moveRef(repository.path, ref, sha, old)
      })
    ),
  "git/delete-ref": async (call) => {
    await changeRef(call, async (repository, ref) => {
      if ((await Git.commitOf(repository.path, ref)) === null) throw refuse(422, "Reference does not exist")
      await Git.git(repository.path, ["update-ref", "-d", ref])
    })
    return empty
  }
}
