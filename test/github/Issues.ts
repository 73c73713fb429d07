/** Changes of issues, as calls and tests make them, with their events. */
import { issueShape, commentShape, labelShape } from "./IssueShapes.ts"
import { emitPull } from "./Refs.ts"
import { fullRepositoryShape, issueApi, repositoryApi } from "./Shapes.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

/** Somebody who changes an issue of a repository. */
export interface Act {
  readonly world: World
  readonly repository: State.Repository
  readonly user: State.User
  readonly app: State.App | null
}

const emit = async (act: Act, action: string, issue: State.Issue, more: Readonly<Record<string, unknown>> = {}) => {
  const { world, repository, user } = act
  if (State.isPullRequest(issue)) return emitPull(world, repository, user, action, issue, more)
  world.emit(repository, user, "issues", action, { issue: issueShape(world, repository, issue), ...more })
}

/** Adds a line to the page of an issue. */
const record = ({ world, user, app }: Act, issue: State.Issue, event: string, more: State.IssueEvent["more"] = {}) =>
  void issue.events.push({ id: world.nextId(), actor: user, app, event, createdAt: world.clock.now(), more })

const touch = ({ world }: Act, issue: State.Issue) => void (issue.updatedAt = world.clock.now())

/** The label of that name, which is made when it is new. */
export const labelOf = (
  { world, repository, user }: Act,
  name: string,
  color = "ededed",
  description: string | null = null
): State.Label => {
  const known = repository.labels.find((one) => one.name.toLowerCase() === name.toLowerCase())
  if (known !== undefined) return known
  const label: State.Label = { id: world.nextId(), name, color, description }
  repository.labels.push(label)
  world.emit(repository, user, "label", "created", { label: labelShape(world, repository, label) })
  return label
}

export const editLabel = (
  { world, repository, user }: Act,
  label: State.Label,
  name: string | null,
  color: string | null,
  description: string | null
) => {
  const changes = {
    ...(name === null ? {} : { name: { from: label.name } }),
    ...(color === null ? {} : { color: { from: label.color } })
  }
  label.name = name ?? label.name
  label.color = color ?? label.color
  label.description = description ?? label.description
  world.emit(repository, user, "label", "edited", { label: labelShape(world, repository, label), changes })
}

export const removeLabel = ({ world, repository, user }: Act, label: State.Label) => {
  repository.labels.splice(repository.labels.indexOf(label), 1)
  for (const issue of repository.issues) issue.labels = issue.labels.filter((one) => one !== label)
  world.emit(repository, user, "label", "deleted", { label: labelShape(world, repository, label) })
}

export const setLabels = async (act: Act, issue: State.Issue, names: ReadonlyArray<string>) => {
  const wanted = [...new Set(names.map((name) => labelOf(act, name)))]
  const before = issue.labels
  issue.labels = wanted
  const added = wanted.filter((one) => !before.includes(one))
  const removed = before.filter((one) => !wanted.includes(one))
  if (added.length + removed.length === 0) return
  touch(act, issue)
  const shape = (label: State.Label) => ({ label: labelShape(act.world, act.repository, label) })
  const named = ({ name, color }: State.Label) => ({ label: { name, color } })
  for (const label of removed) record(act, issue, "unlabeled", named(label))
  for (const label of added) record(act, issue, "labeled", named(label))
  for (const label of removed) await emit(act, "unlabeled", issue, shape(label))
  for (const label of added) await emit(act, "labeled", issue, shape(label))
}

export const openIssue = async (
  act: Act,
  title: string,
  body: string | null,
  labels: ReadonlyArray<string> = []
): Promise<State.Issue> => {
  const { world, repository, user, app } = act
  const now = world.clock.now()
  const issue: State.Issue = {
    id: world.nextId(),
    number: ++repository.lastNumber,
    user,
    app,
    pull: null,
    ...State.unclosed(title, body, now)
  }
  repository.issues.push(issue)
  await emit(act, "opened", issue)
  await setLabels(act, issue, labels)
  return issue
}

export interface Edit {
  readonly title?: string | undefined
  readonly body?: string | null | undefined
  readonly state?: "open" | "closed" | undefined
  readonly stateReason?: string | null | undefined
  readonly labels?: ReadonlyArray<string> | undefined
  readonly assignees?: ReadonlyArray<State.User> | undefined
}

const close = async (act: Act, issue: State.Issue, reason: string | null) => {
  const now = act.world.clock.now()
  Object.assign(issue, { state: "closed", stateReason: reason ?? "completed", closedAt: now, closedBy: act.user })
  touch(act, issue)
  record(act, issue, "closed", { state_reason: issue.stateReason })
  await emit(act, "closed", issue)
}

const reopen = async (act: Act, issue: State.Issue) => {
  Object.assign(issue, { state: "open", stateReason: "reopened", closedAt: null, closedBy: null })
  touch(act, issue)
  record(act, issue, "reopened")
  await emit(act, "reopened", issue)
}

export const editIssue = async (act: Act, issue: State.Issue, edit: Edit) => {
  const changes = {
    ...(edit.title === undefined || edit.title === issue.title ? {} : { title: { from: issue.title } }),
    ...(edit.body === undefined || edit.body === issue.body ? {} : { body: { from: issue.body ?? "" } })
  }
  if ("title" in changes) record(act, issue, "renamed", { rename: { from: issue.title, to: edit.title } })
  if ("body" in changes) issue.edits.push({ by: act.user, at: act.world.clock.now() })
  if (Object.keys(changes).length > 0) {
    Object.assign(issue, { title: edit.title ?? issue.title, body: edit.body === undefined ? issue.body : edit.body })
    touch(act, issue)
    await emit(act, "edited", issue, { changes })
  }
  if (edit.labels !== undefined) await setLabels(act, issue, edit.labels)
  if (edit.assignees !== undefined) {
    issue.assignees = [...edit.assignees]
    touch(act, issue)
  }
  if (edit.state === "closed" && issue.state === "open") await close(act, issue, edit.stateReason ?? null)
  if (edit.state === "open" && issue.state === "closed") await reopen(act, issue)
}

const emitComment = (act: Act, action: string, issue: State.Issue, comment: State.Comment, more = {}) =>
  act.world.emit(act.repository, act.user, "issue_comment", action, {
    issue: issueShape(act.world, act.repository, issue),
    comment: commentShape(act.world, act.repository, issue, comment),
    ...more
  })

export const addComment = (act: Act, issue: State.Issue, body: string): State.Comment => {
  const now = act.world.clock.now()
  const comment = { id: act.world.nextId(), user: act.user, app: act.app, createdAt: now, updatedAt: now, body }
  issue.comments.push(comment)
  touch(act, issue)
  emitComment(act, "created", issue, comment)
  return comment
}

export const editComment = (act: Act, issue: State.Issue, comment: State.Comment, body: string) => {
  const changes = { body: { from: comment.body } }
  Object.assign(comment, { body, updatedAt: act.world.clock.now() })
  touch(act, issue)
  emitComment(act, "edited", issue, comment, { changes })
}

export const removeComment = (act: Act, issue: State.Issue, comment: State.Comment) => {
  issue.comments.splice(issue.comments.indexOf(comment), 1)
  touch(act, issue)
  emitComment(act, "deleted", issue, comment)
}

const remove = ({ repository }: Act, issue: State.Issue, to: string | null) => {
  repository.issues.splice(repository.issues.indexOf(issue), 1)
  repository.gone.set(issue.number, to)
}

/** Deletes an issue, which only its page at GitHub can do. */
export const deleteIssue = async (act: Act, issue: State.Issue) => {
  remove(act, issue, null)
  await emit(act, "deleted", issue)
}

/** Transfers an issue to another repository, which only its page at GitHub can do. */
export const transferIssue = async (act: Act, issue: State.Issue, to: State.Repository): Promise<State.Issue> => {
  const { world, repository } = act
  const moved: State.Issue = { ...issue, id: world.nextId(), number: ++to.lastNumber }
  to.issues.push(moved)
  remove(act, issue, issueApi(world, to, moved.number))
  const shape = { new_issue: issueShape(world, to, moved), new_repository: fullRepositoryShape(world, to) }
  world.emit(repository, act.user, "issues", "transferred", {
    issue: issueShape(world, repository, issue),
    changes: shape
  })
  return moved
}

/** Converts an issue to a discussion, which only its page at GitHub can do: it leaves the lists, and its address leads there. */
export const convertIssue = ({ world, repository }: Act, issue: State.Issue) => {
  repository.issues.splice(repository.issues.indexOf(issue), 1)
  repository.gone.set(issue.number, `${repositoryApi(world, repository)}/discussions/${++repository.lastNumber}`)
}
