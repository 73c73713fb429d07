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
  Query: "id node repository repositoryOwner rateLimit viewer",
  Mutation: `revertPullRequest enqueuePullRequest dequeuePullRequest markPullRequestReadyForReview
    addProjectV2ItemById unarchiveProjectV2Item updateProjectV2ItemFieldValue clearProjectV2ItemFieldValue`,
  Node: "id",
  Actor: "login",
  RepositoryOwner: "id login",
  ProjectV2Owner: "id projectV2",
  Organization: "id login projectV2",
  User: "id login projectV2",
  ProjectV2: "id number url title viewerCanUpdate field",
  ProjectV2FieldConfiguration: null,
  ProjectV2FieldCommon: "id name",
  ProjectV2Field: "id name",
  ProjectV2SingleSelectField: "id name options",
  ProjectV2SingleSelectFieldOption: "id name",
  ProjectV2Item: "id isArchived project fieldValueByName",
  ProjectV2ItemConnection: "nodes pageInfo totalCount",
  ProjectV2ItemFieldValue: null,
  ProjectV2ItemFieldValueCommon: "id updatedAt",
  ProjectV2ItemFieldSingleSelectValue: "id name optionId updatedAt",
  ProjectV2FieldValue: null,
  AddProjectV2ItemByIdPayload: "clientMutationId item",
  UnarchiveProjectV2ItemPayload: "clientMutationId item",
  UpdateProjectV2ItemFieldValuePayload: "clientMutationId projectV2Item",
  ClearProjectV2ItemFieldValuePayload: "clientMutationId projectV2Item",
  AddProjectV2ItemByIdInput: null,
  UnarchiveProjectV2ItemInput: null,
  UpdateProjectV2ItemFieldValueInput: null,
  ClearProjectV2ItemFieldValueInput: null,
  Bot: "id login",
  Commit: "id oid",
  RateLimit: "limit cost remaining resetAt used",
  Repository: "id name nameWithOwner pullRequest issue issues mergeQueue",
  Issue: `id number url title body state author editor lastEditedAt createdAt updatedAt timelineItems
    userContentEdits labels projectItems projectV2`,
  IssueConnection: "nodes totalCount",
  IssueFilters: null,
  IssueOrder: null,
  IssueOrderField: null,
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
    mergeable mergeStateStatus isInMergeQueue mergeQueueEntry mergeCommit createdAt updatedAt timelineItems projectV2`,
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
  Date: null,
  GitObjectID: null
}

/** Types that the package lacks, as GitHub's reference describes them since October 2025. */
const newer = `
interface ProjectV2Event {
  project: ProjectV2
  wasAutomated: Boolean!
}

type ProjectV2ItemStatusChangedEvent implements Node & ProjectV2Event {
  actor: Actor
  createdAt: DateTime!
  id: ID!
  previousStatus: String!
  project: ProjectV2
  status: String!
  wasAutomated: Boolean!
}

extend union IssueTimelineItems = ProjectV2ItemStatusChangedEvent

extend enum IssueTimelineItemsItemType {
  PROJECT_V2_ITEM_STATUS_CHANGED_EVENT
}`

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
  `# @octokit/graphql-schema ${version}\n${print({ kind: Kind.DOCUMENT, definitions })}\n${newer}\n`
)
