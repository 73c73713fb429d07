import { Struct } from "effect"
import { format } from "../../../../domain/value/Timestamp.ts"
import { ClassOfService, Complexity, Size, type StoryDetail } from "../../../../domain/work/Story.ts"
import type { Team } from "../../../../domain/workspace/Team.ts"
import { Field, type Filled, Select, TextArea, Once } from "../components/Form.tsx"
import { Crumbs, Heading, Lede, wayToTeam } from "../components/Heading.tsx"
import { Outside } from "../components/Link.tsx"
import { Button, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { listed } from "../incidents/IncidentWords.ts"
import { classes, complexities, linesOf, platforms } from "./StoryWords.ts"

/** Fields of a form with the content of a story. */
export const valuesOf = (story: StoryDetail): Filled["values"] => ({
  title: story.title,
  description: story.description ?? "",
  acceptanceCriteria: story.acceptanceCriteria.map(({ text }) => text).join("\n"),
  demonstrate: story.demonstrate.join("\n"),
  testPlan: story.testPlan ?? "",
  size: story.size ?? "",
  complexity: story.complexity ?? "",
  classOfService: story.classOfService,
  /** The version that the form began with. */
  updatedAt: format(story.updatedAt)
})

export const labels = {
  title: "Title",
  description: "Description",
  acceptanceCriteria: "Acceptance criteria",
  demonstrate: "Demonstrate",
  testPlan: "Test plan",
  size: "Size",
  complexity: "Complexity",
  classOfService: "Class of service"
}

const ownedWords = (owned: Owned) =>
  listed(
    Struct.keys(labels)
      .filter((name) => owned.includes(name))
      .map((name) => `the ${name === "demonstrate" ? "Demonstrate block" : labels[name].toLowerCase()}`)
  )

const none = { value: "", label: "Not set" }

/** Names of the fields that a tracker owns. */
type Owned = ReadonlyArray<string>

/** Title and description, which a tracker owns if the story comes from one. */
const OwnText = ({ filled }: { readonly filled: Filled }) => (
  <>
    <Field name="title" label="Title" filled={filled} maxLength={500} autocomplete="off" />
    <TextArea
      name="description"
      label="Description"
      hint="Why it is needed, and for whom. Markdown is shown formatted."
      filled={filled}
    />
  </>
)

const Content = ({ filled, owned = [] }: { readonly filled: Filled; readonly owned?: Owned }) => (
  <>
    {owned.includes("acceptanceCriteria") ? null : (
      <TextArea
        name="acceptanceCriteria"
        label="Acceptance criteria"
        hint="One in each line. A run writes a check for each of them."
        filled={filled}
      />
    )}
    {owned.includes("demonstrate") ? null : (
      <TextArea
        name="demonstrate"
        label="Demonstrate"
        hint="One step in each line: what a person does to see that it works."
        filled={filled}
      />
    )}
    {owned.includes("testPlan") ? null : (
      <TextArea name="testPlan" label="Test plan" hint="How the change is tested. Optional." filled={filled} />
    )}
    <Select
      name="size"
      label="Size"
      filled={filled}
      options={[none, ...Size.literals.map((value) => ({ value, label: value.toUpperCase() }))]}
    />
    <Select
      name="complexity"
      label="Complexity"
      filled={filled}
      options={[none, ...Complexity.literals.map((value) => ({ value, label: complexities[value] }))]}
    />
    <Select
      name="classOfService"
      label="Class of service"
      hint="Expedite is taken up before everything else."
      filled={filled}
      options={ClassOfService.literals.map((value) => ({ value, label: classes[value] }))}
    />
  </>
)

/** Places where a new story begins. */
export const beginnings = ["draft", "backlog", "ready"] as const

/** The form of a new story of a team. */
export const NewStoryPage = ({
  base,
  filled,
  team
}: {
  readonly base: string
  readonly team: Pick<Team, "slug" | "name">
  readonly filled: Filled
}) => (
  <>
    <Crumbs way={wayToTeam(base, team)} here="New story" />
    <Heading title="New story">
      <Lede>A story is ready with a description, an acceptance criterion and a step that demonstrates it.</Lede>
    </Heading>
    <Panel id="story" title={`Story of ${team.name}`}>
      <form class="body stack" method="post" action={`${base}/teams/${team.slug}/new-story`} novalidate data-keeps>
        <Once />
        <OwnText filled={filled} />
        <Content filled={filled} />
        <Select
          name="begin"
          label="Begins as"
          hint="A team takes up stories in Ready by itself. A draft waits until somebody approves it."
          filled={filled}
          options={[
            { value: "draft", label: "Draft in Refining" },
            { value: "backlog", label: "Story in Backlog" },
            { value: "ready", label: "Story in Ready" }
          ]}
        />
        <p class="bar">
          <Button tone="primary">Create the story</Button>
          <LinkButton href={`${base}/teams/${team.slug}`}>Back to the board</LinkButton>
        </p>
      </form>
    </Panel>
  </>
)

/** The present text of the story, where it differs from the form. */
const Meanwhile = ({
  filled,
  owned,
  story
}: {
  readonly filled: Filled
  readonly owned: Owned
  readonly story: StoryDetail
}) => {
  const now = valuesOf(story)
  const texts = Struct.keys(labels).filter((name) => !owned.includes(name))
  const differing = texts.filter(
    (name) => linesOf(now[name] ?? "").join("\n") !== linesOf(filled.values[name] ?? "").join("\n")
  )
  return (
    <Notice tone="warn" isAlert>
      <h2>{story.key} has changed since you opened this form</h2>
      <p>Nothing is saved yet. {differing.length === 0 ? "Its text is what you have typed." : "It now says:"}</p>
      {differing.map((name) => (
        <>
          <h3>{labels[name]}</h3>
          <pre class="code" tabindex={0}>
            {now[name] === "" ? "Nothing" : now[name]}
          </pre>
        </>
      ))}
      <p>Your text is in the form below. Take over what you want to keep, then save it.</p>
    </Notice>
  )
}

/** The form of a story's content; without the fields that its tracker owns. */
export const EditStoryPage = ({
  base,
  filled,
  isOutdated = false,
  owned,
  story
}: {
  readonly base: string
  readonly story: StoryDetail
  readonly owned: Owned
  readonly filled: Filled
  /** True when somebody changed the story while the form was open. */
  readonly isOutdated?: boolean
}) => (
  <>
    <Crumbs
      way={[...wayToTeam(base, { name: story.team, slug: story.team }), [story.key, `${base}/stories/${story.key}`]]}
      here="Edit"
    />
    <Heading title={`Edit ${story.key}`} />
    {filled.errors["updatedAt"] === undefined ? null : (
      <Notice tone="bad" isAlert>
        <p>{filled.errors["updatedAt"]}</p>
      </Notice>
    )}
    {isOutdated ? <Meanwhile story={story} owned={owned} filled={filled} /> : null}
    {story.tracker === null || owned.length === 0 ? null : (
      <Notice tone="info" icon="link">
        <p>
          {platforms[story.tracker.platform]} owns {ownedWords(owned)}. Change them in{" "}
          <Outside href={story.tracker.url}>{story.tracker.key}</Outside>.
        </p>
      </Notice>
    )}
    <Panel id="story" title={story.draft ? "Draft" : "Story"}>
      <form class="body stack" method="post" action={`${base}/stories/${story.key}/edit`} novalidate data-keeps>
        <input type="hidden" name="updatedAt" value={filled.values["updatedAt"] ?? ""} />
        {owned.includes("title") ? null : <OwnText filled={filled} />}
        <Content filled={filled} owned={owned} />
        <p class="bar">
          <Button tone="primary">Save the story</Button>
          <LinkButton href={`${base}/stories/${story.key}`}>Back to the story</LinkButton>
        </p>
      </form>
    </Panel>
  </>
)
