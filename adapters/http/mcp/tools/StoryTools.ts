import { Effect, Schema } from "effect"
import * as Listing from "../../../../application/workspace/Listing.ts"
import { StoryStore } from "../../../../application/ports/StoryStore.ts"
import * as Stories from "../../../../application/work/Stories.ts"
import {
  ClassOfService,
  ColumnRole,
  Complexity,
  Size,
  type StoryKey,
  StoryNotFound
} from "../../../../domain/work/Story.ts"
import { Timestamp } from "../../../../domain/value/Timestamp.ts"
import { keys, maybe, type Member, page, pageOf, paging, storyOf, teamOf, tool } from "../Tool.ts"

const read = ({ workspace }: Member, key: StoryKey) =>
  Effect.flatMap(StoryStore, (store) => store.detail(workspace, key))

const get = tool(
  {
    name: "get_story",
    title: "Get a story",
    description:
      "Returns a story with its acceptance criteria, Demonstrate block and test plan, the policy of its team, and the decisions of its last run. Read it before you work on the story.",
    kind: "read",
    right: null,
    input: { story: keys.story }
  },
  (member, { story }) => Effect.flatMap(storyOf(story), (key) => Stories.brief(member.workspace, key)),
  ({ held, workspace }, { story }) =>
    Effect.flatMap(storyOf(story), (key) =>
      key === held.story ? Stories.brief(workspace, key) : new StoryNotFound({ story })
    )
)

const list = tool(
  {
    name: "list_stories",
    title: "List stories",
    description: "Lists the stories of a team, newest first.",
    kind: "read",
    right: null,
    input: {
      team: keys.team,
      drafts: maybe(Schema.Boolean.annotations({ description: "True includes drafts that nobody has approved" })),
      ...paging
    }
  },
  ({ workspace }, { drafts = false, team, ...asked }) =>
    Effect.gen(function* () {
      const filters = { drafts, team: yield* teamOf(team) }
      const store = yield* StoryStore
      const listing = { workspace, list: "stories", filters }
      return page(yield* Listing.page(listing, pageOf(asked), (one) => store.page(workspace, filters, one)))
    })
)

const texts = (description: string) => maybe(Schema.Array(Schema.String).annotations({ description }))

const edit = tool(
  {
    name: "edit_story",
    title: "Edit a story",
    description:
      "Changes the given fields of a story. Title and description of a story from a tracker are changed there instead.",
    kind: "change",
    isIdempotent: true,
    right: "story edit",
    input: {
      story: keys.story,
      title: maybe(Schema.String),
      description: maybe(Schema.NullOr(Schema.String)),
      acceptanceCriteria: texts("All acceptance criteria, in order"),
      demonstrate: texts("All steps that demonstrate the result, in order"),
      testPlan: maybe(Schema.NullOr(Schema.String)),
      size: maybe(Schema.NullOr(Size)),
      complexity: maybe(Schema.NullOr(Complexity)),
      classOfService: maybe(ClassOfService),
      updatedAt: maybe(
        Timestamp.annotations({
          description:
            "The updatedAt of the story as you read it: the change is refused if somebody changed the story since"
        })
      )
    }
  },
  (member, { story, updatedAt = null, ...content }) =>
    Effect.gen(function* () {
      const { key } = yield* Stories.edit(member, yield* storyOf(story), content, updatedAt)
      return yield* read(member, key)
    })
)

const move = tool(
  {
    name: "move_story",
    title: "Move a story",
    description: "Moves a story to another column of its board.",
    kind: "change",
    right: "story move",
    input: { story: keys.story, column: ColumnRole }
  },
  (member, { column, story }) =>
    Effect.gen(function* () {
      const { key } = yield* Stories.move(member, yield* storyOf(story), column)
      return yield* read(member, key)
    })
)

const approve = tool(
  {
    name: "approve_draft",
    title: "Approve a draft",
    description: "Turns a draft with a readiness score of 100 into a story, which is written to the tracker.",
    kind: "change",
    right: "story approve",
    input: { story: keys.story }
  },
  (member, { story }) =>
    Effect.gen(function* () {
      const { key } = yield* Stories.approve(member, yield* storyOf(story))
      return yield* read(member, key)
    })
)

const reject = tool(
  {
    name: "reject_draft",
    title: "Reject a draft",
    description: "Removes a draft with its pending decisions and unfinished runs.",
    kind: "change",
    right: "story reject",
    input: { story: keys.story }
  },
  (member, { story }) =>
    Effect.gen(function* () {
      const { key, title } = yield* Stories.reject(member, yield* storyOf(story))
      return { story: key, title, rejected: true }
    })
)

export const storyTools = [get, list, edit, move, approve, reject]
