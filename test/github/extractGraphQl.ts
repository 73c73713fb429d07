/**
 * Extracts the types and fields in `kept` from GitHub's GraphQL schema into `fixtures/schema.graphql`:
 * `npm pack @octokit/graphql-schema`, unpack it, then
 * `tsx test/github/extractGraphQl.ts package/schema.graphql <version>`.
 */
import { type DefinitionNode, Kind, parse, print, visit } from "graphql"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Fields by type; null keeps every field, as inputs and enumerations need. */
const kept: Readonly<Record<string, string | null>> = {
  Query: "id node repository rateLimit viewer",
  Mutation: "revertPullRequest enqueuePullRequest dequeuePullRequest markPullRequestReadyForReview",
  Node: "id",
  Actor: "login",
  User: "id login",
  Bot: "id login",
  Commit: "id oid",
  RateLimit: "limit cost remaining resetAt used",
  Repository: "id name nameWithOwner pullRequest issue mergeQueue",
  Issue: `id number url title body state author editor lastEditedAt createdAt updatedAt timelineItems
    userContentEdits labels`,
  LabelConnection: "nodes",
  LabelOrder: null,
  LabelOrderField: null,
  OrderDirection: null,
  IssueTimelineItems: null,
  IssueTimelineItemsConnection: "nodes pageInfo filteredCount",
  IssueTimelineItemsItemType: null,
  LabeledEvent: "id actor createdAt label",
  RenamedTitleEvent: "id actor createdAt currentTitle previousTitle",
  Label: "id name",
  UserContentEdit: "id editedAt editor",
  UserContentEditConnection: "nodes pageInfo totalCount",
  PageInfo: "startCursor endCursor hasNextPage hasPreviousPage",
  IssueState: null,
  MergeQueue: "id url",
  MergeQueueEntry: "id position state enqueuedAt enqueuer headCommit baseCommit pullRequest",
  PullRequest: `id number url title body state merged mergedAt closed isDraft headRefName headRefOid baseRefName
    mergeable mergeStateStatus isInMergeQueue mergeQueueEntry mergeCommit createdAt updatedAt timelineItems`,
  PullRequestTimelineItemsConnection: "nodes totalCount",
  PullRequestTimelineItems: null,
  PullRequestTimelineItemsItemType: null,
  AddedToMergeQueueEvent: "id createdAt",
  RemovedFromMergeQueueEvent: "id createdAt reason beforeCommit",
  RevertPullRequestPayload: "clientMutationId pullRequest revertPullRequest",
  EnqueuePullRequestPayload: "clientMutationId mergeQueueEntry",
  DequeuePullRequestPayload: "clientMutationId mergeQueueEntry",
  MarkPullRequestReadyForReviewPayload: "clientMutationId pullRequest",
  RevertPullRequestInput: null,
  EnqueuePullRequestInput: null,
  DequeuePullRequestInput: null,
  MarkPullRequestReadyForReviewInput: null,
  PullRequestState: null,
  MergeableState: null,
  MergeStateStatus: null,
  MergeQueueEntryState: null,
  URI: null,
  DateTime: null,
  GitObjectID: null
}

const [, , path = "", version = ""] = process.argv
const schema = parse(readFileSync(path, "utf8"), { noLocation: true })

const pruned = (definition: DefinitionNode): ReadonlyArray<DefinitionNode> => {
  if (!("name" in definition) || definition.name === undefined || !("kind" in definition)) return []
  if (definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.DIRECTIVE_DEFINITION) return []
  const fields = kept[definition.name.value]
  if (fields === undefined) return []
  const names = new Set(fields?.split(/\s+/))
  return [
    visit(definition, {
      StringValue: () => null,
      Directive: () => null,
      NamedType: (node, _, parent) => (Array.isArray(parent) && !(node.name.value in kept) ? null : undefined),
      FieldDefinition: (node) => (names.has(node.name.value) ? undefined : null)
    })
  ]
}

const definitions = schema.definitions.flatMap(pruned)
writeFileSync(
  join(import.meta.dirname, "fixtures", "schema.graphql"),
  `# @octokit/graphql-schema ${version}\n${print({ kind: Kind.DOCUMENT, definitions })}\n`
)
