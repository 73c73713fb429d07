import { type Call, created, empty, type Handlers, invalid, listed, ok, refuse, textOf } from "./Answer.ts"
import { isAtLeast, roleOf } from "./Auth.ts"
import * as Issues from "./Issues.ts"
import { commentShape, eventShape, issueShape, labelShape } from "./IssueShapes.ts"
import { issueOf, reached } from "./Reach.ts"
import type * as State from "./State.ts"

const actOf = (call: Call, level: State.Level): Issues.Act => {
  const { repository, user, app } = reached(call, "issues", level)
  return { world: call.world, repository, user, app }
}

/** A person without write access may write issues and comments where they can read, and change their own. */
const authorOf = (call: Call, author: State.User | null): Issues.Act => {
  const act = actOf(call, "read")
  return act.user.id === author?.id ? act : actOf(call, "write")
}

const namesOf = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value)
    ? value.map((one: unknown) => (typeof one === "string" ? one : String((one as { readonly name: string }).name)))
    : undefined

const usersOf = ({ world }: Call, value: unknown) =>
  namesOf(value)?.flatMap((login) => world.users.get(login.toLowerCase()) ?? [])

const selected = (call: Call, repository: State.Repository): ReadonlyArray<State.Issue> => {
  const { query } = call
  const state = query.get("state") ?? "open"
  const since = query.get("since")
  const labels = (query.get("labels") ?? "").split(",").filter((name) => name !== "")
  const creator = query.get("creator")
  const from = since === null ? 0 : Date.parse(since)
  const found = repository.issues.filter(
    (one) =>
      (repository.hasIssues || one.pull !== null) &&
      (state === "all" || one.state === state) &&
      Math.floor(one.updatedAt / 1000) * 1000 >= from &&
      (creator ?? one.user.login) === one.user.login &&
      labels.every((name) => one.labels.some((label) => label.name.toLowerCase() === name.toLowerCase()))
  )
  const by = query.get("sort") ?? "created"
  const rank = (one: State.Issue) =>
    by === "updated" ? one.updatedAt : by === "comments" ? one.comments.length : one.createdAt
  const sorted = found.toSorted((a, b) => rank(a) - rank(b) || a.number - b.number)
  return query.get("direction") === "asc" ? sorted : sorted.toReversed()
}

const commentOf = (call: Call, repository: State.Repository) => {
  for (const issue of repository.issues)
    for (const comment of issue.comments)
      if (String(comment.id) === call.parameters["comment_id"]) return { issue, comment }
  throw refuse(404, "Not Found")
}

const update = async (call: Call) => {
  const { body } = call
  const { repository } = reached(call, "issues", "read")
  const issue = issueOf(call, repository)
  const act = authorOf(call, issue.user)
  const state = body["state"]
  const isWriter = act.app !== null || isAtLeast(roleOf(repository, act.user), "write")
  await Issues.editIssue(act, issue, {
    title: textOf(body["title"]) ?? undefined,
    body: body["body"] === null ? null : (textOf(body["body"]) ?? undefined),
    state: state === "open" || state === "closed" ? state : undefined,
    stateReason: textOf(body["state_reason"]),
    // GitHub drops the labels of somebody who may not set them.
    labels: isWriter ? namesOf(body["labels"]) : undefined,
    assignees: isWriter ? usersOf(call, body["assignees"]) : undefined
  })
  return ok(issueShape(call.world, repository, issue))
}

const create = async (call: Call) => {
  const { body } = call
  const act = actOf(call, "read")
  const { token } = reached(call, "issues", "read")
  if (token.permissions !== null && !isAtLeast(token.permissions["issues"], "write")) actOf(call, "write")
  const title = String(body["title"] ?? "")
  if (title.trim() === "") throw invalid("Issue", { field: "title", code: "missing_field" })
  const isWriter = act.app !== null || isAtLeast(roleOf(act.repository, act.user), "write")
  const issue = await Issues.openIssue(act, title, textOf(body["body"]), isWriter ? namesOf(body["labels"]) : [])
  return created(issueShape(call.world, act.repository, issue))
}

const labelNamed = (call: Call, repository: State.Repository) => {
  const name = (call.parameters["name"] ?? "").toLowerCase()
  const label = repository.labels.find((one) => one.name.toLowerCase() === name)
  if (label === undefined) throw refuse(404, "Not Found")
  return label
}

/** Changes the labels of an issue and answers with all of them. */
const relabel = async (call: Call, change: (names: ReadonlyArray<string>) => ReadonlyArray<string>) => {
  const act = actOf(call, "write")
  const issue = issueOf(call, act.repository)
  await Issues.setLabels(act, issue, change(issue.labels.map(({ name }) => name)))
  return ok(issue.labels.map((one) => labelShape(call.world, act.repository, one)))
}

/** Labels come as `{labels: […]}`; a bare list is allowed too. */
const givenLabels = ({ body }: Call) => namesOf(Array.isArray(body) ? body : body["labels"]) ?? []

export const issueRoutes: Handlers = {
  "issues/list-for-repo": (call) => {
    const { repository } = reached(call, "issues", "read")
    return listed(call, selected(call, repository), (one) => issueShape(call.world, repository, one))
  },
  "issues/get": (call) => {
    const { repository } = reached(call, "issues", "read")
    return ok(issueShape(call.world, repository, issueOf(call, repository)))
  },
  "issues/create": create,
  "issues/update": update,
  "issues/list-comments": (call) => {
    const { repository } = reached(call, "issues", "read")
    const issue = issueOf(call, repository)
    const since = Date.parse(call.query.get("since") ?? "1970-01-01T00:00:00Z")
    const comments = issue.comments.filter(({ updatedAt }) => updatedAt >= since)
    return listed(call, comments, (one) => commentShape(call.world, repository, issue, one))
  },
  "issues/list-comments-for-repo": (call) => {
    const { repository } = reached(call, "issues", "read")
    const since = Date.parse(call.query.get("since") ?? "1970-01-01T00:00:00Z")
    const all = repository.issues.flatMap((issue) => issue.comments.map((comment) => ({ issue, comment })))
    const by = call.query.get("sort") === "updated" ? "updatedAt" : "createdAt"
    const found = all.filter(({ comment }) => comment.updatedAt >= since)
    const sorted = found.toSorted((a, b) => a.comment[by] - b.comment[by])
    const ordered = call.query.get("direction") === "desc" ? sorted.toReversed() : sorted
    return listed(call, ordered, ({ issue, comment }) => commentShape(call.world, repository, issue, comment))
  },
  "issues/get-comment": (call) => {
    const { repository } = reached(call, "issues", "read")
    const { issue, comment } = commentOf(call, repository)
    return ok(commentShape(call.world, repository, issue, comment))
  },
  "issues/create-comment": (call) => {
    const act = actOf(call, "read")
    const issue = issueOf(call, act.repository)
    const comment = Issues.addComment(act, issue, String(call.body["body"]))
    return created(commentShape(call.world, act.repository, issue, comment))
  },
  "issues/update-comment": (call) => {
    const { repository } = reached(call, "issues", "read")
    const { issue, comment } = commentOf(call, repository)
    Issues.editComment(authorOf(call, comment.user), issue, comment, String(call.body["body"]))
    return ok(commentShape(call.world, repository, issue, comment))
  },
  "issues/delete-comment": (call) => {
    const { repository } = reached(call, "issues", "read")
    const { issue, comment } = commentOf(call, repository)
    Issues.removeComment(authorOf(call, comment.user), issue, comment)
    return empty
  },
  "issues/list-events": (call) => {
    const { repository } = reached(call, "issues", "read")
    return listed(call, issueOf(call, repository).events, (one) => eventShape(call.world, repository, one))
  },
  "issues/list-events-for-repo": (call) => {
    const { repository } = reached(call, "issues", "read")
    const all = repository.issues.flatMap((issue) => issue.events.map((event) => ({ issue, event })))
    const sorted = all.toSorted((a, b) => b.event.id - a.event.id)
    return listed(call, sorted, ({ issue, event }) => ({
      ...eventShape(call.world, repository, event),
      issue: issueShape(call.world, repository, issue)
    }))
  },
  "issues/list-labels-for-repo": (call) => {
    const { repository } = reached(call, "issues", "read")
    return listed(call, repository.labels, (one) => labelShape(call.world, repository, one))
  },
  "issues/create-label": (call) => {
    const act = actOf(call, "write")
    const name = String(call.body["name"])
    if (act.repository.labels.some((one) => one.name.toLowerCase() === name.toLowerCase()))
      throw invalid("Label", { code: "already_exists", field: "name" })
    const label = Issues.labelOf(act, name, textOf(call.body["color"]) ?? undefined, textOf(call.body["description"]))
    return created(labelShape(call.world, act.repository, label))
  },
  "issues/get-label": (call) => {
    const { repository } = reached(call, "issues", "read")
    return ok(labelShape(call.world, repository, labelNamed(call, repository)))
  },
  "issues/update-label": (call) => {
    const act = actOf(call, "write")
    const label = labelNamed(call, act.repository)
    Issues.editLabel(
      act,
      label,
      textOf(call.body["new_name"]),
      textOf(call.body["color"]),
      textOf(call.body["description"])
    )
    return ok(labelShape(call.world, act.repository, label))
  },
  "issues/delete-label": (call) => {
    const act = actOf(call, "write")
    Issues.removeLabel(act, labelNamed(call, act.repository))
    return empty
  },
  "issues/list-labels-on-issue": (call) => {
    const { repository } = reached(call, "issues", "read")
    return listed(call, issueOf(call, repository).labels, (one) => labelShape(call.world, repository, one))
  },
  "issues/add-labels": (call) => relabel(call, (names) => [...names, ...givenLabels(call)]),
  "issues/set-labels": (call) => relabel(call, () => givenLabels(call)),
  "issues/remove-label": (call) =>
    relabel(call, (names) => {
      const name = (call.parameters["name"] ?? "").toLowerCase()
      if (!names.some((one) => one.toLowerCase() === name)) throw refuse(404, "Label does not exist")
      return names.filter((one) => one.toLowerCase() !== name)
    })
}
