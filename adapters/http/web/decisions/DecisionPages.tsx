import { DateTime, Effect, Option, Schema } from "effect"
import type { Cursors } from "../../../../application/workspace/Cursors.ts"
import * as Listing from "../../../../application/workspace/Listing.ts"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import { DecisionStore } from "../../../../application/ports/DecisionStore.ts"
import * as Json from "../../../../application/ports/Json.ts"
import type { JobStore } from "../../../../application/ports/JobStore.ts"
import type { Page as Rows, PageRequest } from "../../../../application/ports/Page.ts"
import { TeamStore } from "../../../../application/ports/TeamStore.ts"
import * as Decisions from "../../../../application/work/Decisions.ts"
import type { Person } from "../../../../application/workspace/Authorization.ts"
import { DecisionKey, DecisionNotFound, DecisionView, parseKey } from "../../../../domain/work/Decision.ts"
import { IdempotencyKey } from "../../../../domain/workspace/IdempotencyRecord.ts"
import { atLeast, Role } from "../../../../domain/workspace/Member.ts"
import { TeamNotFound, type TeamSlug, TeamView } from "../../../../domain/workspace/Team.ts"
import { type Filled, unfilled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { fragment, redirect } from "../Render.tsx"
import { DecisionList, News, newsAddress, RowEnd, type Tab, tabs } from "./DecisionList.tsx"
import { OneDecision, type OneView } from "./DecisionView.tsx"
import { plain } from "./Markdown.tsx"
import type { Press } from "./Outcome.tsx"
import { authorities } from "./DecisionWords.ts"

const decodeAll = Json.decoder(Schema.Array(DecisionView))
/** Keys and titles alone, which takes a tenth of the time. */
const decodeNames = Schema.decodeUnknownSync(
  Schema.parseJson(Schema.Array(Schema.Struct({ key: DecisionKey, title: Schema.String })))
)
const decodeOne = Json.decoder(DecisionView)
const decodeTeams = Json.decoder(Schema.Array(TeamView))

const perPage = 25

/** Roles whose decisions a member may answer, and the others. */
const mayAnswer = ({ member }: Person) => Role.literals.filter((role) => atLeast(member.role, role))
const mayNot = ({ member }: Person) => Role.literals.filter((role) => !atLeast(member.role, role))

const rowsOf = (person: Person, tab: Tab, team: TeamSlug | null) =>
  Effect.map(DecisionStore, (store) => {
    const { workspace } = person
    const reads: Readonly<Record<Tab, (request: PageRequest) => Effect.Effect<Rows<DecisionView>, TeamNotFound>>> = {
      mine: (request) => store.queue(workspace, { authorities: mayAnswer(person), team }, request),
      others: (request) => store.queue(workspace, { authorities: mayNot(person), team }, request),
      answered: (request) => store.page(workspace, { status: "resolved", team, run: null }, request),
      closed: (request) => store.unanswered(workspace, team, request)
    }
    return reads[tab]
  })

const list = Effect.fnUntraced(function* ({ base, counts, person, query, reader }: Visit) {
  const tab = tabs.find((one) => one === query.get("view")) ?? "mine"
  const cursor = query.get("cursor")
  const teams = decodeTeams(yield* (yield* TeamStore).list(person.workspace))
  const asked = query.get("team") ?? ""
  const team = asked === "" ? null : (teams.find(({ slug }) => slug === asked)?.slug ?? null)
  if (asked !== "" && team === null) return yield* new TeamNotFound({ team: asked })
  const listing = { workspace: person.workspace, list: `app decisions ${tab}`, filters: { team } }
  const read = Listing.page(listing, { limit: perPage, cursor }, yield* rowsOf(person, tab, team))
  // A refusal must not interrupt the counts, which its page shows too.
  const [page, { decisions: waiting, others }] = yield* Effect.all([Effect.either(read), counts], { concurrency: 2 })
  const { items, nextCursor } = yield* page
  const decisions = decodeAll(items)
  const view: View = {
    title: tab === "mine" ? `${waiting} ${waiting === 1 ? "decision" : "decisions"}` : "Decisions",
    section: "decisions",
    body: (
      <DecisionList
        base={base}
        tab={tab}
        team={team}
        teams={teams}
        counts={{ mine: waiting, others }}
        decisions={decisions}
        nextCursor={nextCursor}
        hasCursor={cursor !== null}
        now={reader.now}
      />
    )
  }
  return view
})

/** Decisions since the page was made, and which of the shown ones were answered meanwhile. */
const news = Effect.fnUntraced(function* ({ base, person, query, reader }: Visit) {
  const store = yield* DecisionStore
  const team = (query.get("team") as TeamSlug | null) || null
  const since = Option.getOrElse(DateTime.make(Number(query.get("since") ?? NaN)), () => reader.now)
  const known = (query.get("known") ?? "").split(" ").slice(0, perPage)
  const shown = yield* Effect.forEach(
    known.flatMap((key) => Option.toArray(parseKey(key))),
    (key) => Effect.option(Effect.map(store.get(person.workspace, key), decodeOne)),
    { concurrency: "unbounded" }
  )
  const pending = yield* store.page(
    person.workspace,
    { status: "pending", team, run: null },
    { limit: perPage, before: null }
  )
  const fresh = decodeAll(pending.items).filter(
    ({ authority, createdAt }) => DateTime.greaterThan(createdAt, since) && atLeast(person.member.role, authority)
  )
  const decisions = shown.flatMap(Option.toArray)
  return fragment(
    reader,
    <>
      <News
        count={fresh.length}
        list={`${base}/decisions${team === null ? "" : `?team=${team}`}`}
        news={newsAddress({ base, decisions, now: since, team })}
      />
      {decisions.flatMap((decision) => (decision.status === "pending" ? [] : [<RowEnd decision={decision} isNews />]))}
    </>
  )
})

const keyOf = ({ parameters }: Visit) => {
  const decision = parameters["key"] ?? ""
  return Effect.mapError(parseKey(decision), () => new DecisionNotFound({ decision }))
}

/** The reader's queue around a decision, for the next one after an answer and the keys j and k. */
const around = Effect.fnUntraced(function* ({ base, person }: Visit, key: string) {
  const store = yield* DecisionStore
  const filter = { authorities: mayAnswer(person), team: null }
  const { items } = yield* store.queue(person.workspace, filter, { limit: 50, before: null })
  const queue = decodeNames(items)
  const here = queue.findIndex((one) => one.key === key)
  const other = queue.find((one) => one.key !== key)
  const address = (one: { readonly key: string } | undefined) =>
    one === undefined ? null : `${base}/decisions/${one.key}`
  return {
    next: other === undefined ? null : { href: address(other) ?? "", title: other.title },
    neighbours: {
      previous: here > 0 ? address(queue[here - 1]) : null,
      next: here >= 0 ? address(queue[here + 1]) : null
    }
  }
})

interface Attempt {
  readonly press: Press | null
  readonly filled: Filled
  readonly status: number
}

const opened: Attempt = { press: null, filled: unfilled, status: 200 }

/** The page of one decision; `attempt` is an answer that was not accepted. */
const show = Effect.fnUntraced(function* (visit: Visit, { filled, press, status }: Attempt) {
  const { base, person } = visit
  const key = yield* keyOf(visit)
  const [{ at, expiry, options }, { neighbours, next }] = yield* Effect.all(
    [Decisions.look(person, key), around(visit, key)],
    { concurrency: 2 }
  )
  const { decision } = at
  const draft = `${person.member.id} ${key}`
  const answer = yield* Effect.gen(function* () {
    if (decision.status !== "pending") {
      const [jobs, isOwn] = yield* Effect.all(
        [Decisions.jobsOf(person, decision.effects ?? []), Decisions.isAnswerOf(person, decision)],
        { concurrency: 2 }
      )
      return {
        type: "outcome",
        decision,
        jobs,
        isOwn,
        draft,
        press,
        next,
        list: `${base}/decisions`
      } as const
    }
    if (!atLeast(person.member.role, decision.authority))
      return {
        type: "refused",
        options,
        who: `This takes ${decision.authority === "owner" ? "an owner" : "an admin or owner"}. ${authorities[decision.authority]} may answer; your role is ${person.member.role}.`
      } as const
    const address = `${base}/decisions/${key}`
    return { type: "form", address, decision, draft, options, expiry, filled, requestKey: crypto.randomUUID() } as const
  })
  const one: OneView = { base, at, answer, neighbours }
  const view: View = {
    title: plain(decision.title),
    section: "decisions",
    status,
    body: <OneDecision {...one} />
  }
  return view
})

const isRequestKey = Schema.is(IdempotencyKey)

/** Answers a decision. A refusal shows the decision again: with the form to correct, or with what became of it. */
const answer = Effect.fnUntraced(function* (visit: Visit) {
  const { base, form, person, signedIn } = visit
  const key = yield* keyOf(visit)
  const [option, note, request] = [form.get("option"), form.get("note"), form.get("request")]
  const answered = Decisions.answer(person, {
    decision: key,
    optionId: option,
    note: note.trim() === "" ? null : note,
    idempotency: isRequestKey(request) ? { token: signedIn.session.id, key: request } : null
  })
  const wrong = (errors: Filled["errors"]) =>
    show(visit, { press: null, filled: { values: { note }, errors }, status: 400 })
  const late = () => show(visit, { press: { option, note }, filled: unfilled, status: 409 })
  return yield* Effect.map(answered, () => redirect(`${base}/decisions/${key}`)).pipe(
    Effect.catchTags({
      NoteTooLong: ({ length }) =>
        wrong({ note: `Shorten the note to 4,000 characters; it has ${length.toLocaleString("en")}.` }),
      UnknownOption: () => wrong({ option: "Press one of the options below." }),
      DecisionAlreadyResolved: late,
      DecisionExpired: late,
      DecisionCancelled: late,
      DecisionSuperseded: late,
      // The form of another decision was sent: nothing was answered, and the note stays.
      IdempotencyKeyReused: () => {
        const errors = { option: "This form was sent for another answer already. Press one of the options again." }
        return show(visit, { press: { option, note }, filled: { values: { note }, errors }, status: 409 })
      }
    })
  )
})

type Needs = AuditLog | DecisionStore | TeamStore | JobStore | Cursors

export const pages: ReadonlyArray<Page<Needs>> = [
  { path: "decisions", get: list },
  { path: "decisions/news", get: news },
  { path: "decisions/:key", get: (visit) => show(visit, opened), post: answer }
]
