import { appShape, repositoryApi, repositoryPage, userShape } from "./Shapes.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

export const labelShape = (world: World, repository: State.Repository, label: State.Label) => ({
  id: label.id,
  node_id: State.nodeId("LA", label.id),
  url: `${repositoryApi(world, repository)}/labels/${encodeURIComponent(label.name)}`,
  name: label.name,
  color: label.color,
  default: false,
  description: label.description
})

export const issueLabels = (world: World, repository: State.Repository, issue: State.Issue) =>
  issue.labels.map((one) => ({ ...labelShape(world, repository, one), description: one.description ?? "" }))

const reactionsShape = (url: string) => ({
  url: `${url}/reactions`,
  total_count: 0,
  "+1": 0,
  "-1": 0,
  laugh: 0,
  hooray: 0,
  confused: 0,
  heart: 0,
  rocket: 0,
  eyes: 0
})

const associationOf = (repository: State.Repository, user: State.User) =>
  user.id === repository.owner.id
    ? "OWNER"
    : repository.collaborators.has(user.login.toLowerCase())
      ? "COLLABORATOR"
      : "NONE"

export const issueShape = (world: World, repository: State.Repository, issue: State.Issue) => {
  const api = repositoryApi(world, repository)
  const url = `${api}/issues/${issue.number}`
  const kind = issue.pull === null ? "issues" : "pull"
  const html = `${repositoryPage(world, repository)}/${kind}/${issue.number}`
  const pull = `${api}/pulls/${issue.number}`
  return {
    url,
    repository_url: api,
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: html,
    id: issue.id,
    node_id: State.nodeId(issue.pull === null ? "I" : "PR", issue.id),
    number: issue.number,
    title: issue.title,
    user: userShape(world, issue.user),
    labels: issueLabels(world, repository, issue),
    state: issue.state,
    locked: issue.locked,
    assignee: issue.assignees[0] === undefined ? null : userShape(world, issue.assignees[0]),
    assignees: issue.assignees.map((one) => userShape(world, one)),
    milestone: null,
    comments: issue.comments.length,
    created_at: State.timestamp(issue.createdAt),
    updated_at: State.timestamp(issue.updatedAt),
    closed_at: State.timeOrNull(issue.closedAt),
    closed_by: issue.closedBy === null ? null : userShape(world, issue.closedBy),
    author_association: associationOf(repository, issue.user),
    active_lock_reason: null,
    body: issue.body,
    reactions: reactionsShape(url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: issue.app === null ? null : appShape(world, issue.app),
    state_reason: issue.stateReason,
    ...(issue.pull === null
      ? {}
      : {
          draft: issue.pull.draft,
          pull_request: {
            url: pull,
            html_url: html,
            diff_url: `${html}.diff`,
            patch_url: `${html}.patch`,
            merged_at: State.timeOrNull(issue.pull.mergedAt)
          }
        })
  }
}

export const commentShape = (
  world: World,
  repository: State.Repository,
  issue: State.Issue,
  comment: State.Comment
) => {
  const url = `${repositoryApi(world, repository)}/issues/comments/${comment.id}`
  return {
    url,
    html_url: `${repositoryPage(world, repository)}/issues/${issue.number}#issuecomment-${comment.id}`,
    issue_url: `${repositoryApi(world, repository)}/issues/${issue.number}`,
    id: comment.id,
    node_id: State.nodeId("IC", comment.id),
    user: userShape(world, comment.user),
    created_at: State.timestamp(comment.createdAt),
    updated_at: State.timestamp(comment.updatedAt),
    author_association: associationOf(repository, comment.user),
    body: comment.body,
    reactions: reactionsShape(url),
    performed_via_github_app: comment.app === null ? null : appShape(world, comment.app)
  }
}

export const eventShape = (world: World, repository: State.Repository, event: State.IssueEvent) => ({
  id: event.id,
  node_id: State.nodeId("IE", event.id),
  url: `${repositoryApi(world, repository)}/issues/events/${event.id}`,
  actor: userShape(world, event.actor),
  event: event.event,
  commit_id: null,
  commit_url: null,
  created_at: State.timestamp(event.createdAt),
  performed_via_github_app: event.app === null ? null : appShape(world, event.app),
  ...event.more
})
