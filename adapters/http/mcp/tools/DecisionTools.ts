import { Effect, Schema } from "effect"
import { PublicUrl } from "../../../../application/oncall/PublicUrl.ts"
import * as Listing from "../../../../application/workspace/Listing.ts"
import { DecisionStore } from "../../../../application/ports/DecisionStore.ts"
import { RunStore } from "../../../../application/ports/RunStore.ts"
import { StoryStore } from "../../../../application/ports/StoryStore.ts"
import * as OwnRun from "../../../../application/runner/OwnRun.ts"
import * as Decisions from "../../../../application/work/Decisions.ts"
import {
  type DecisionKey,
  DecisionNotFound,
  DecisionStatus,
  type DecisionView,
  Note
} from "../../../../domain/work/Decision.ts"
import { parseKey as parseRun, type RunView } from "../../../../domain/work/Run.ts"
import { isOver } from "../../../../domain/work/RunTransitions.ts"
import { type StoryKey, StoryNotFound, type StoryView } from "../../../../domain/work/Story.ts"
import { InvalidRequest } from "../../../api/HttpErrors.ts"
import { QuestionText } from "../../../api/RunnerApi.ts"
import {
  decisionOf,
  given,
  keys,
  maybe,
  type Member,
  page,
  pageOf,
  paging,
  runOf,
  storyOf,
  teamOf,
  tool
} from "../Tool.ts"
import { ownRun } from "./RunTools.ts"

const list = tool(
  {
    name: "list_decisions",
    title: "List decisions",
    description: "Lists decisions, newest first: questions to people with options and a recommendation.",
    kind: "read",
    right: null,
    input: { status: maybe(DecisionStatus), team: maybe(keys.team), run: maybe(keys.run), ...paging }
  },
  ({ workspace }, { run, status = null, team, ...asked }) =>
    Effect.gen(function* () {
      const filters = { status, team: yield* given(team, teamOf), run: yield* given(run, runOf) }
      const store = yield* DecisionStore
      const listing = { workspace, list: "decisions", filters }
      return page(yield* Listing.page(listing, pageOf(asked), (one) => store.page(workspace, filters, one)))
    })
)

export const longestWait = 45

const get = tool(
  {
    name: "get_decision",
    title: "Get a decision",
    description:
      "Returns a decision; once it is resolved, `resolution` has the chosen option and the note of the person. With `waitSeconds` the call returns as soon as it is no longer pending.",
    kind: "read",
    waits: true,
    right: null,
    input: {
      decision: keys.decision,
      waitSeconds: maybe(
        Schema.Int.pipe(Schema.between(0, longestWait)).annotations({
          description: `Seconds to wait for an answer, 0 to ${longestWait}; default 0`
        })
      )
    }
  },
  ({ workspace }, { decision, waitSeconds = 0 }) =>
    Effect.flatMap(decisionOf(decision), (key) => Decisions.settled(workspace, key, waitSeconds)),
  ({ held, workspace }, { decision, waitSeconds = 0 }) =>
    Effect.gen(function* () {
      const key = yield* decisionOf(decision)
      const { runKey } = JSON.parse(yield* (yield* DecisionStore).get(workspace, key)) as typeof DecisionView.Encoded
      if (runKey !== held.run) return yield* new DecisionNotFound({ decision })
      return yield* Decisions.settled(workspace, key, waitSeconds)
    })
)

const question = QuestionText.annotations({
  description: "The question, with what you found out and what you would do, as Markdown"
})

/** The unfinished run of a story, which waits for the answer; null when there is none. */
const unfinishedRun = Effect.fnUntraced(function* ({ workspace }: Member, story: StoryKey) {
  const { runKeys } = JSON.parse(yield* (yield* StoryStore).get(workspace, story)) as typeof StoryView.Encoded
  const key = yield* given(runKeys[0], (run) => Effect.orDie(parseRun(run)))
  if (key === null) return null
  const { status } = JSON.parse(yield* (yield* RunStore).get(workspace, key)) as typeof RunView.Encoded
  return isOver(status) ? null : key
})

const asked = (decision: DecisionKey, status: string, link: string | null, next: string) => ({
  decision,
  status,
  ...(link !== null && { link }),
  next
})

const placeOf = Effect.fnUntraced(function* (member: Member, run: string | undefined, story: string | undefined) {
  if (run !== undefined) return { run: yield* runOf(run) }
  if (story === undefined)
    return yield* new InvalidRequest({
      field: "story",
      problem: "or run must be given: the question is about one of them"
    })
  const key = yield* storyOf(story)
  const unfinished = yield* unfinishedRun(member, key)
  return unfinished === null ? { story: key } : { run: unfinished }
})

const request = tool(
  {
    name: "request_human_input",
    title: "Ask a person",
    description:
      "Asks people a question about a story or a run and returns at once with the key of the decision. Do not wait: go on with what does not depend on the answer, and read it with get_decision. The same question again is the same decision.",
    kind: "tell",
    isIdempotent: true,
    right: "decision raise",
    input: { question, story: maybe(keys.story), run: maybe(keys.run) }
  },
  (member, { question: text, run, story }) =>
    Effect.gen(function* () {
      const json = yield* Decisions.ask(member, yield* placeOf(member, run, story), text)
      const { key, status } = JSON.parse(json) as { readonly key: DecisionKey; readonly status: string }
      const link = `${yield* PublicUrl}/${member.workspaceSlug}/decisions/${key}`
      const next = `Go on with what does not depend on the answer. Then call get_decision with decision ${key} and waitSeconds ${longestWait}, as often as needed.`
      return asked(key, status, link, next)
    }),
  (agent, { question: text, run, story }) =>
    Effect.gen(function* () {
      if (run !== undefined) yield* ownRun(agent, run)
      if (story !== undefined && (yield* storyOf(story)) !== agent.held.story)
        return yield* new StoryNotFound({ story })
      const key = yield* OwnRun.ask(agent.held, text)
      const next = `Go on with what does not depend on the answer; get_decision with decision ${key} reads it. When nothing else is left to do, end your turn: you are resumed with the answer.`
      return asked(key, "pending", null, next)
    })
)

const answer = tool(
  {
    name: "answer_decision",
    title: "Answer a decision",
    description:
      "Resolves a decision with one of its options, on behalf of the member whose token this is. The first answer wins. Call it only when the person you work for has chosen; a question asked with this token cannot be answered with it.",
    kind: "change",
    right: null,
    input: {
      decision: keys.decision,
      optionId: Schema.String.annotations({ description: "Id of one of the options" }),
      note: maybe(Schema.NullOr(Note).annotations({ description: "At most 4,000 characters" }))
    }
  },
  (member, { decision, note = null, optionId }) =>
    Effect.gen(function* () {
      const key = yield* decisionOf(decision)
      const { json } = yield* Decisions.answerForAgent(member, { decision: key, optionId, note, idempotency: null })
      return json
    })
)

export const decisionTools = [list, get, request, answer]
