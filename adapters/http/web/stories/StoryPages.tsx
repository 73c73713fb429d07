import { Effect, Option, Schema, Struct } from "effect"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../../../application/ports/DecisionStore.ts"
import type { ImportStore } from "../../../../application/ports/ImportStore.ts"
import * as Json from "../../../../application/ports/Json.ts"
import { RunStore } from "../../../../application/ports/RunStore.ts"
import { StoryStore } from "../../../../application/ports/StoryStore.ts"
import { TeamStore } from "../../../../application/ports/TeamStore.ts"
import * as Runs from "../../../../application/work/Runs.ts"
import * as Stories from "../../../../application/work/Stories.ts"
import { type Content, ownedFields } from "../../../../domain/work/ChangeStory.ts"
import { DecisionView } from "../../../../domain/work/Decision.ts"
import { RunSummary } from "../../../../domain/work/Run.ts"
import {
  ClassOfService,
  ColumnRole,
  columnOf,
  Complexity,
  parseKey,
  Size,
  StoryDetail,
  StoryNotFound
} from "../../../../domain/work/Story.ts"
import { format, parse } from "../../../../domain/value/Timestamp.ts"
import { TeamView } from "../../../../domain/workspace/Team.ts"
import type { Filled } from "../components/Form.tsx"
import { plain } from "../decisions/Markdown.tsx"
import type { Form } from "../Forms.ts"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { boardView, teamOf } from "../teams/TeamPages.tsx"
import { beginnings, EditStoryPage, NewStoryPage, valuesOf } from "./StoryForm.tsx"
import { type Act, StoryQuestion } from "./StoryQuestions.tsx"
import { StoryPage, type StoryShown } from "./StoryView.tsx"
import { linesOf } from "./StoryWords.ts"

const decodeStory = Json.decoder(StoryDetail)
const decodeRuns = Json.decoder(Schema.Array(RunSummary))
const decodeDecisions = Json.decoder(Schema.Array(DecisionView))
const decodeTeam = Json.decoder(TeamView)
const isColumn = Schema.is(ColumnRole)

/** Runs and decisions on the page of a story. */
const most = { limit: 25, before: null }

const keyOf = ({ parameters }: Visit) => {
  const { key: story = "" } = parameters
  return Effect.mapError(parseKey(story), () => new StoryNotFound({ story }))
}

const storyOf = (visit: Visit) =>
  Effect.gen(function* () {
    const key = yield* keyOf(visit)
    return decodeStory(yield* (yield* StoryStore).detail(visit.person.workspace, key))
  })

const withTeam = (visit: Visit) =>
  Effect.gen(function* () {
    const story = yield* storyOf(visit)
    const team = decodeTeam(yield* (yield* TeamStore).get(visit.person.workspace, story.team))
    return { base: visit.base, story, teamName: team.name, isTeamPaused: team.paused }
  })

const shownOf = Effect.fnUntraced(function* (visit: Visit) {
  const { workspace } = visit.person
  const key = yield* keyOf(visit)
  const [named, runs, decisions] = yield* Effect.all(
    [
      withTeam(visit),
      Effect.flatMap(RunStore, (store) => Effect.orDie(store.page(workspace, { team: null, story: key }, most))),
      Effect.flatMap(DecisionStore, (store) =>
        Effect.orDie(store.page(workspace, { status: null, team: null, run: null, story: key }, most))
      )
    ],
    { concurrency: "unbounded" }
  )
  const shown: StoryShown = { ...named, runs: decodeRuns(runs.items), decisions: decodeDecisions(decisions.items) }
  return shown
})

const viewOf = (shown: StoryShown, status = 200): View => ({
  title: `${shown.story.key}: ${plain(shown.story.title)}`,
  section: "teams",
  team: shown.story.team,
  status,
  body: <StoryPage {...shown} />
})

const show = (visit: Visit) => Effect.map(shownOf(visit), viewOf)

/** Shows the story as it is now, and why the request changed nothing. */
const notDone = (visit: Visit) => (refusal: string) =>
  Effect.map(shownOf(visit), (shown) => viewOf({ ...shown, refusal }, 409))

/** Fields of the content that a form has, in the form they are typed. */
const typed = (form: Form) =>
  Object.fromEntries(
    [
      "title",
      "description",
      "acceptanceCriteria",
      "demonstrate",
      "testPlan",
      "size",
      "complexity",
      "classOfService"
    ].map((name) => [name, form.get(name)])
  )

const orNull = (text: string | undefined) => (text === undefined || text.trim() === "" ? null : text)

const choice = <A extends string>(of: ReadonlyArray<A>, text: string | undefined): A | null =>
  of.find((one) => one === text) ?? null

const contentOf = (values: Filled["values"]): Content & { readonly title: string } => ({
  title: (values["title"] ?? "").trim(),
  description: orNull(values["description"]),
  acceptanceCriteria: linesOf(values["acceptanceCriteria"] ?? ""),
  demonstrate: linesOf(values["demonstrate"] ?? ""),
  testPlan: orNull(values["testPlan"]),
  size: choice(Size.literals, values["size"]),
  complexity: choice(Complexity.literals, values["complexity"]),
  classOfService: choice(ClassOfService.literals, values["classOfService"]) ?? "standard"
})

/** The field of the form that a path of the story names, such as `stories[0].title`. */
const fieldOf = (path: string, values: Filled["values"]) =>
  path
    .replace(/^stories\[0\]\./, "")
    .split(/[.[]/)
    .find((part) => part in values) ?? "title"

const wrong = (path: string, problem: string, values: Filled["values"]): Filled => {
  const field = fieldOf(path, values)
  const isEmpty = field === "title" && (values["title"] ?? "").trim() === ""
  return {
    values,
    errors: { [field]: isEmpty ? "Enter a title, such as “Refund in part”." : `This ${problem}.` }
  }
}

const newStory = (visit: Visit, filled: Filled, status = 200) =>
  Effect.map(teamOf(visit), (team): View => ({
    title: "New story",
    section: "teams",
    team: team.slug,
    status,
    body: <NewStoryPage base={visit.base} team={team} filled={filled} />
  }))

const create = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person } = visit
    const team = yield* teamOf(visit)
    const values: Filled["values"] = { ...typed(form), begin: form.get("begin") }
    const begin = choice(beginnings, values["begin"]) ?? "draft"
    const { title, ...content } = contentOf(values)
    return yield* Stories.create(person, {
      ...content,
      title,
      team: team.slug,
      column: begin === "draft" ? "refining" : begin,
      draft: begin === "draft"
    }).pipe(
      Effect.map(({ key }) => redirect(`${base}/stories/${key}`, "story-created")),
      Effect.catchTag("InvalidDocument", ({ path, problem }) => newStory(visit, wrong(path, problem, values), 400))
    )
  })

/** A story with the fields that are changed in its tracker alone. */
const editedOf = (visit: Visit) =>
  Effect.gen(function* () {
    const story = yield* storyOf(visit)
    const owned =
      story.tracker === null
        ? []
        : ownedFields(story, yield* (yield* StoryStore).ownership(visit.person.workspace, story.key))
    return { story, owned }
  })

type Edited = Effect.Effect.Success<ReturnType<typeof editedOf>>

const editView = ({ base }: Visit, { owned, story }: Edited, filled: Filled, status = 200): View => ({
  title: `Edit ${story.key}`,
  section: "teams",
  team: story.team,
  status,
  body: <EditStoryPage base={base} story={story} owned={owned} filled={filled} isOutdated={status === 409} />
})

const edit = (visit: Visit) =>
  Effect.map(editedOf(visit), (edited) => editView(visit, edited, { values: valuesOf(edited.story), errors: {} }))

const save = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person } = visit
    const edited = yield* editedOf(visit)
    const { owned, story } = edited
    const updatedAt = form.get("updatedAt")
    const values = { ...typed(form), updatedAt }
    const content: Content = Struct.omit(contentOf(values), ...owned)
    return yield* Stories.edit(person, story.key, content, Option.getOrNull(parse(updatedAt))).pipe(
      Effect.as(redirect(`${base}/stories/${story.key}`, "story-saved")),
      Effect.catchTags({
        InvalidStory: ({ field, problem }) =>
          Effect.succeed(editView(visit, edited, wrong(field, problem, values), 400)),
        TrackerOwnsText: ({ message }) => notDone(visit)(message),
        // The form keeps what was typed, and goes on from the story as it is now.
        StoryChangedMeanwhile: () =>
          Effect.map(editedOf(visit), (present) => {
            const version = format(present.story.updatedAt)
            return editView(visit, present, { values: { ...values, updatedAt: version }, errors: {} }, 409)
          })
      })
    )
  })

const move = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person } = visit
    const { key, team } = yield* storyOf(visit)
    const column = form.get("column")
    const isOfStory = form.get("from") === "story"
    const refuse = (words: string) => (isOfStory ? notDone(visit)(words) : boardView(visit, team, words))
    if (!isColumn(column)) return yield* refuse("Choose one of the columns.")
    const done = isOfStory ? redirect(`${base}/stories/${key}`, "story-moved") : redirect(`${base}/teams/${team}`)
    return yield* Stories.move(person, key, column).pipe(
      Effect.as(done),
      Effect.catchTags({
        StoryAlreadyThere: () => Effect.succeed(done),
        RunHoldsStory: ({ run }) => refuse(`${run} works on ${key} and moves it. Wait for it, or stop it on its page.`),
        DraftNotMovable: () =>
          refuse(`${key} is a draft and cannot move to ${columnOf(column).name}. Approve it first, on its page.`)
      })
    )
  })

const approve = (visit: Visit) =>
  Effect.gen(function* () {
    const key = yield* keyOf(visit)
    return yield* Stories.approve(visit.person, key).pipe(
      Effect.as(redirect(`${visit.base}/stories/${key}`, "story-approved")),
      Effect.catchTags({
        NotADraft: () => notDone(visit)(`${key} is no draft any more.`),
        NotReady: ({ score }) =>
          notDone(visit)(`${key} has a readiness of ${score} of 100. Add what is missing, then approve it.`)
      })
    )
  })

const question = (act: Act) => (visit: Visit) =>
  Effect.map(withTeam(visit), (shown): View => ({
    title: act === "start" ? `Start a run of ${shown.story.key}?` : `Reject ${shown.story.key}?`,
    section: "teams",
    team: shown.story.team,
    body: <StoryQuestion {...shown} act={act} />
  }))

const reject = (visit: Visit) =>
  Effect.gen(function* () {
    const { key, team } = yield* storyOf(visit)
    return yield* Stories.reject(visit.person, key).pipe(
      Effect.as(redirect(`${visit.base}/teams/${team}`, "story-rejected")),
      Effect.catchTag("NotADraft", () => notDone(visit)(`${key} is no draft any more, so it cannot be rejected.`))
    )
  })

const start = (visit: Visit) =>
  Effect.gen(function* () {
    const key = yield* keyOf(visit)
    return yield* Runs.start(visit.person, key).pipe(
      Effect.map(({ run }) => redirect(`${visit.base}/runs/${run.key}`, "run-started")),
      Effect.catchTags({
        StoryIsDraft: () => notDone(visit)(`${key} is a draft. Approve it first.`),
        StoryIsWorkedOn: ({ run }) => notDone(visit)(`${run} works on ${key} already.`),
        TeamIsPaused: () => notDone(visit)("The team is paused and starts no new work. An admin can resume it.")
      })
    )
  })

type Needs = AuditLog | DecisionStore | ImportStore | RunStore | StoryStore | TeamStore

export const pages: ReadonlyArray<Page<Needs>> = [
  {
    path: "teams/:slug/new-story",
    get: (visit) => newStory(visit, { values: { begin: "draft", classOfService: "standard" }, errors: {} }),
    post: create
  },
  { path: "stories/:key", get: show },
  { path: "stories/:key/edit", get: edit, post: save },
  { path: "stories/:key/move", post: move },
  { path: "stories/:key/approve", post: approve },
  { path: "stories/:key/reject", get: question("reject"), post: reject },
  { path: "stories/:key/start", get: question("start"), post: start }
]
