import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Record, Schema } from "effect"
import { StoryStore } from "../../../application/ports/StoryStore.ts"
import { TeamStore } from "../../../application/ports/TeamStore.ts"
import * as Stories from "../../../application/work/Stories.ts"
import { ClassOfService, ColumnRole, Complexity, Size, Story, type StorySummary } from "../../../domain/work/Story.ts"
import type { StoryDetail } from "../../../domain/work/Story.ts"
import type { TeamNotFound } from "../../../domain/workspace/Team.ts"
import { Line } from "../../../domain/value/Text.ts"
import { columns } from "../Columns.ts"
import { paged, pageOf, personalList } from "../Paging.ts"
import { storyCells, storyPage } from "../StoryText.ts"
import { oneOf, options, story, team, text, title, usage } from "../Options.ts"
import { named } from "../OptionErrors.ts"
import { personalVerb } from "../Command.ts"

const encode = Schema.encodeSync(Story)

const heading = title("title", "What it is about, in one line")

const lines = (name: string, description: string) =>
  options(name, Line(4000), "text of 1 to 4,000 characters", {
    description: `${description}; may be given several times`
  })

const content = {
  description: Options.optional(text("description", "What and why, in Markdown")),
  testPlan: Options.optional(text("test-plan", "How it is tested")),
  size: Options.optional(oneOf("size", Size, "How large it is")),
  complexity: Options.optional(oneOf("complexity", Complexity, "How hard it is")),
  classOfService: Options.optional(oneOf("class", ClassOfService, "Class of service; expedite goes first"))
}
const lists = {
  criteria: lines("criterion", "An acceptance criterion"),
  demonstrate: lines("demonstrate", "A step of the Demonstrate block")
}

type Lists = { readonly criteria: ReadonlyArray<string>; readonly demonstrate: ReadonlyArray<string> }

/** A list that is not given stays unchanged. */
const stated = ({ criteria, demonstrate }: Lists) => ({
  ...(criteria.length > 0 && { acceptanceCriteria: criteria }),
  ...(demonstrate.length > 0 && { demonstrate })
})

const create = personalVerb(
  "create",
  "Create a story, or a draft of one",
  {
    team,
    title: heading,
    ...content,
    ...lists,
    column: oneOf("column", ColumnRole, "Where it stands, default: backlog; teams take up what is ready").pipe(
      Options.withDefault("backlog" as const)
    ),
    draft: Options.boolean("draft").pipe(
      Options.withDescription("It is a draft: nobody works on it until it is approved")
    )
  },
  (person, { classOfService, column, complexity, description, draft, size, team, testPlan, title, ...rest }) =>
    Effect.gen(function* () {
      yield* (yield* TeamStore).get(person.workspace, team)
      const content = {
        ...Record.getSomes({ description, testPlan }),
        ...Record.getSomes({ size }),
        ...Record.getSomes({ complexity }),
        ...Record.getSomes({ classOfService }),
        ...stated(rest)
      }
      return encode(yield* named(Stories.create(person, { team, title, column, draft, ...content })))
    }),
  ({ key, readinessScore }) => `Created ${key}, readiness ${readinessScore}.`
)

const edit = personalVerb(
  "edit",
  "Edit a story, title and description only while no tracker keeps them; other settings keep their values",
  { story, title: Options.optional(heading), ...content, ...lists },
  (person, { classOfService, complexity, description, size, story, testPlan, title, ...rest }) =>
    Effect.gen(function* () {
      const content = {
        ...Record.getSomes({ title, description, testPlan }),
        ...Record.getSomes({ size }),
        ...Record.getSomes({ complexity }),
        ...Record.getSomes({ classOfService }),
        ...stated(rest)
      }
      if (Object.keys(content).length === 0)
        return yield* Effect.fail(usage("There is nothing to edit: say at least one thing of the story"))
      return encode(yield* Stories.edit(person, story, content))
    }),
  ({ key, readinessScore }) => `Edited ${key}, readiness ${readinessScore}.`
)

const approve = personalVerb(
  "approve",
  "Approve a draft whose readiness score is 100",
  { story },
  (person, input) => Effect.map(Stories.approve(person, input.story), encode),
  ({ key }) => `Approved ${key}; writing it to the tracker is queued.`
)

const reject = personalVerb(
  "reject",
  "Reject a draft: it is gone for readers, its number stays used",
  { story },
  (person, input) => Effect.as(Stories.reject(person, input.story), { key: input.story, rejected: true }),
  ({ key }) => `Rejected ${key}.`
)

const move = personalVerb(
  "move",
  "Move a story to another column; a run that works on it moves it alone",
  { story, column: oneOf("column", ColumnRole, "Where it stands from now on") },
  (person, { column, story }) => Effect.map(Stories.move(person, story, column), encode),
  ({ column, key }) => `Moved ${key} to ${column.name}.`
)

const list = personalList(
  "list",
  "List a team's stories, newest first",
  {
    team,
    drafts: Options.boolean("drafts").pipe(Options.withDescription("Lists drafts too, which nobody has approved yet")),
    ...paged
  },
  ({ workspace }, { drafts, team, ...asked }) =>
    Effect.flatMap(StoryStore, (store) => {
      const filters = { team, drafts }
      return pageOf<StorySummary, typeof StorySummary.Encoded, TeamNotFound, never>(
        { workspace, list: "stories", filters },
        asked,
        (page) => store.page(workspace, filters, page)
      )
    }),
  "No stories.",
  (stories) => columns(stories.map(storyCells))
)

const show = personalVerb(
  "show",
  "Show a story: why it came back, its criteria, Demonstrate block, test plan and runs",
  { story },
  ({ workspace }, input) =>
    Effect.map(
      Effect.flatMap(StoryStore, (store) => store.detail(workspace, input.story)),
      (json) => JSON.parse(json) as typeof StoryDetail.Encoded
    ),
  storyPage
)

export const storyCommand = Command.make("story").pipe(
  Command.withDescription("Create, list, show, edit and move stories, approve and reject drafts"),
  Command.withSubcommands([create, list, show, edit, move, approve, reject])
)
