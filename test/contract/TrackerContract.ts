import { assert, it } from "@effect/vitest"
import { DateTime, Effect, type Scope } from "effect"
import type { Project, Tracker } from "../../application/ports/tracker/Trackers.ts"
import type { CloseReason, GoneReason, IssueRef, IssueSnapshot } from "../../domain/tracker/TrackerIssue.ts"

export type Role = "writer" | "stranger"

interface NewText {
  readonly title: string
  readonly body?: string
  readonly labels?: ReadonlyArray<string>
}

/** Acts of people on the pages of a tracker. */
export interface TrackerPeople {
  readonly open: (by: Role, issue: NewText) => Effect.Effect<IssueRef>
  readonly edit: (by: Role, issue: IssueRef, text: Partial<NewText>) => Effect.Effect<void>
  readonly label: (by: Role, issue: IssueRef, label: string) => Effect.Effect<void>
  readonly unlabel: (issue: IssueRef, label: string) => Effect.Effect<void>
  readonly close: (issue: IssueRef, reason: CloseReason | null) => Effect.Effect<void>
  readonly leave: (issue: IssueRef, how: GoneReason) => Effect.Effect<void>
  /** Moves an issue on the board, by a person or by nobody whom the tracker names. */
  readonly move: (by: Role | null, issue: IssueRef, status: string | null) => Effect.Effect<void>
}

/** Statuses of the board. */
export const boardStatuses = ["Backlog", "Ready", "In progress", "In review", "Done"]

/** A tracker with an empty project. */
export interface TrackerPlace {
  readonly tracker: Tracker
  readonly at: Project
  /** The same with its board. */
  readonly onBoard: Project
  readonly people: TrackerPeople
  /** Lets a second pass. */
  readonly second: Effect.Effect<void>
}

/** All pages from a time on; `between` happens after each of them. */
export const pages = (
  { at, tracker }: Pick<TrackerPlace, "at" | "tracker">,
  since: DateTime.Utc | null,
  between: Effect.Effect<void> = Effect.void
) =>
  Effect.gen(function* () {
    const all: Array<IssueSnapshot> = []
    let cursor: string | null = null
    do {
      const page: Effect.Effect.Success<ReturnType<Tracker["page"]>> = yield* tracker.page(at, { since, cursor })
      all.push(...(page?.issues ?? []))
      cursor = page?.next ?? null
      yield* between
    } while (cursor !== null)
    return all
  })

const titles = (issues: ReadonlyArray<IssueSnapshot>) => issues.map(({ title }) => title)

const isGone = (found: IssueSnapshot | { readonly gone: GoneReason }) => "gone" in found

/** The issue, which must be there. */
export const present = (found: IssueSnapshot | { readonly gone: GoneReason }): IssueSnapshot => {
  if ("gone" in found) throw new Error(`the issue is gone: ${found.gone}`)
  return found
}

/** Rules that every tracker keeps. */
export const trackerContract = (name: string, place: Effect.Effect<TrackerPlace, never, Scope.Scope>) => {
  const rule = (what: string, test: (place: TrackerPlace) => Effect.Effect<void, unknown, Scope.Scope>) =>
    it.scoped(`${name}: ${what}`, () => Effect.flatMap(place, test))

  rule("an issue has its text, labels, state and address", ({ at, people, tracker }) =>
    Effect.gen(function* () {
      const ref = yield* people.open("stranger", { title: "Fees", body: "Round\n\n- [ ] up", labels: ["bug"] })
      const open = present(yield* tracker.get(at, ref))
      assert.deepInclude(open, { ...ref, title: "Fees", body: "Round\n\n- [ ] up", closed: null, labels: ["bug"] })
      assert.match(open.url, /^https:/)
      yield* people.close(ref, "not_planned")
      assert.strictEqual(present(yield* tracker.get(at, ref)).closed, "not_planned")
      yield* people.close(ref, null)
      assert.strictEqual(present(yield* tracker.get(at, ref)).closed, null)
    })
  )

  rule("changes are listed from a time on, the oldest first, open and closed", (here) =>
    Effect.gen(function* () {
      const { people, second } = here
      const first = yield* people.open("writer", { title: "One" })
      yield* second
      const later = yield* people.open("writer", { title: "Two" })
      yield* second
      yield* people.open("writer", { title: "Three" })
      yield* people.close(later, "completed")
      assert.sameMembers(titles(yield* pages(here, null)), ["One", "Two", "Three"])
      yield* second
      yield* people.label("writer", first, "ready")
      const all = yield* pages(here, null)
      assert.strictEqual(titles(all).at(-1), "One")
      assert.deepStrictEqual(titles(yield* pages(here, all.at(-1)?.updatedAt ?? null)), ["One"])
    })
  )

  rule("no issue is skipped when others change between two pages", (here) =>
    Effect.gen(function* () {
      const { people, second } = here
      const early: Array<IssueRef> = []
      for (let count = 0; count < 40; count++) early.push(yield* people.open("writer", { title: `early ${count}` }))
      yield* second
      // More of one second than a page holds.
      for (let count = 0; count < 230; count++) yield* people.open("writer", { title: `middle ${count}` })
      yield* second
      for (let count = 0; count < 40; count++) yield* people.open("writer", { title: `late ${count}` })
      yield* second
      const moving = Effect.suspend(() => {
        const ref = early.pop()
        return ref === undefined ? Effect.void : people.label("writer", ref, "moved")
      })
      assert.strictEqual(new Set(titles(yield* pages(here, null, moving))).size, 310)
    })
  )

  rule("an answer that has not changed is not read again", ({ at, people, second, tracker }) =>
    Effect.gen(function* () {
      const ref = yield* people.open("writer", { title: "One" })
      const asked = { since: DateTime.unsafeMake("2026-01-01T00:00:00Z"), cursor: null }
      const first = yield* tracker.page(at, asked)
      const unless = first?.etag ?? null
      assert.isNotNull(unless)
      assert.isNull(yield* tracker.page(at, { ...asked, unless }))
      yield* second
      yield* people.label("writer", ref, "ready")
      assert.strictEqual((yield* tracker.page(at, { ...asked, unless }))?.issues.length, 1)
    })
  )

  rule("the issues of a project are counted where it is asked for", ({ at, people, tracker }) =>
    Effect.gen(function* () {
      const all = { since: null, cursor: null }
      yield* people.close(yield* people.open("writer", { title: "One" }), "completed")
      const two = yield* people.open("stranger", { title: "Two" })
      assert.strictEqual((yield* tracker.page(at, { ...all, isCounted: true }))?.total, 2)
      yield* people.leave(two, "deleted")
      assert.strictEqual((yield* tracker.page(at, { ...all, isCounted: true }))?.total, 1)
      assert.isNull((yield* tracker.page(at, all))?.total)
    })
  )

  rule("a full page has no mark, which would hide an issue that comes after it", ({ at, people, second, tracker }) =>
    Effect.gen(function* () {
      for (let count = 0; count < 99; count++) yield* people.open("writer", { title: `One ${count}` })
      const asked = { since: DateTime.unsafeMake("2026-01-01T00:00:00Z"), cursor: null }
      assert.isNotNull((yield* tracker.page(at, asked))?.etag)
      yield* second
      const last = present(yield* tracker.get(at, yield* people.open("writer", { title: "Last" })))
      const full = yield* tracker.page(at, asked)
      assert.deepStrictEqual([full?.issues.length, full?.next, full?.etag], [100, null, null])
      assert.strictEqual(full?.until?.epochMillis, last.updatedAt.epochMillis)
    })
  )

  rule("an issue that left the project is gone", (here) =>
    Effect.gen(function* () {
      const { at, people, tracker } = here
      for (const gone of ["deleted", "transferred", "converted"] as const) {
        const ref = yield* people.open("writer", { title: gone })
        yield* people.leave(ref, gone)
        assert.deepStrictEqual(yield* tracker.get(at, ref), { gone })
        assert.deepStrictEqual(
          yield* tracker.update(at, ref, { addLabels: ["ready"], removeLabels: [], closed: "completed" }),
          { gone }
        )
        const comment = { marker: "<!-- m -->", body: "a <!-- m -->", id: null }
        assert.deepStrictEqual(yield* tracker.comment(at, ref, comment), { gone })
      }
      assert.deepStrictEqual(yield* pages(here, null), [])
    })
  )

  rule("the trail names who made it Ready, and who edited it without the right", ({ at, people, second, tracker }) =>
    Effect.gen(function* () {
      const ref = yield* people.open("stranger", { title: "Fees", body: "a", labels: ["ready"] })
      const trail = Effect.map(
        tracker.trail(at, ref, [{ kind: "label", name: "Ready" }]),
        ({ foreignEdit, readied }) => [readied?.by.mayWrite ?? null, foreignEdit?.by.mayWrite ?? null]
      )
      // A template gives its labels in the name of the author.
      assert.deepStrictEqual(yield* trail, [false, null])
      yield* second
      yield* people.unlabel(ref, "ready")
      assert.deepStrictEqual(yield* trail, [null, null])
      yield* people.label("writer", ref, "ready")
      assert.deepStrictEqual(yield* trail, [true, null])
      yield* second
      yield* people.edit("writer", ref, { title: "Fees!", body: "b" })
      assert.deepStrictEqual(yield* trail, [true, null])
      yield* second
      yield* people.edit("stranger", ref, { body: "c" })
      assert.deepStrictEqual(yield* trail, [true, false])
      yield* second
      yield* people.edit("writer", ref, { body: "d" })
      assert.deepStrictEqual(yield* trail, [true, false])
    })
  )

  rule("an edit of the title alone counts, with its time", ({ at, people, second, tracker }) =>
    Effect.gen(function* () {
      const ref = yield* people.open("writer", { title: "Fees", labels: ["ready"] })
      yield* second
      yield* people.edit("stranger", ref, { title: "Refunds" })
      const { foreignEdit, readied } = yield* tracker.trail(at, ref, [{ kind: "label", name: "ready" }])
      assert.isTrue(readied?.by.mayWrite)
      assert.isAbove(foreignEdit?.at.epochMillis ?? 0, readied?.at.epochMillis ?? 0)
    })
  )

  rule("an issue is created with its marker, and found by it", ({ at, people, second, tracker }) =>
    Effect.gen(function* () {
      const marker = "<!-- gatehouse:job-1 -->"
      const since = DateTime.unsafeMake("2026-01-01T00:00:00Z")
      assert.isNull(yield* tracker.find(at, marker, since))
      const made = yield* tracker.create(at, { title: "Fees", body: `Round\n\n${marker}`, labels: ["ready"] })
      yield* second
      yield* people.open("writer", { title: "Other" })
      assert.strictEqual((yield* tracker.find(at, marker, since))?.id, made.id)
      assert.isNull(yield* tracker.find(at, "<!-- gatehouse:job-2 -->", since))
      assert.deepInclude(made, { title: "Fees", closed: null, labels: ["ready"] })
      assert.isTrue((yield* tracker.trail(at, made, [{ kind: "label", name: "ready" }])).readied?.by.mayWrite)
    })
  )

  rule("labels and state are changed, and nothing else", ({ at, people, tracker }) =>
    Effect.gen(function* () {
      const ref = yield* people.open("writer", { title: "Fees", body: "b", labels: ["ready", "bug"] })
      const change = { addLabels: ["doing"], removeLabels: ["ready", "never there"] }
      const changed = present(yield* tracker.update(at, ref, change))
      assert.sameMembers([...changed.labels], ["bug", "doing"])
      const closed = present(yield* tracker.update(at, ref, { addLabels: [], removeLabels: [], closed: "completed" }))
      assert.deepInclude(closed, { title: "Fees", body: "b", closed: "completed" })
      const again = present(yield* tracker.update(at, ref, { addLabels: [], removeLabels: [], closed: null }))
      assert.strictEqual(again.closed, null)
      assert.isFalse(isGone(yield* tracker.update(at, ref, change)))
    })
  )

  rule("a comment is written once and rewritten", ({ at, people, tracker }) =>
    Effect.gen(function* () {
      const ref = yield* people.open("writer", { title: "Fees" })
      const marker = "<!-- gatehouse:run-aaaa -->"
      const id = yield* tracker.comment(at, ref, { marker, body: `Plan ${marker}`, id: null })
      assert.isString(id)
      assert.strictEqual(yield* tracker.comment(at, ref, { marker, body: `Done ${marker}`, id: null }), id)
      assert.strictEqual(yield* tracker.comment(at, ref, { marker, body: `Merged ${marker}`, id: String(id) }), id)
      const other = "<!-- gatehouse:run-bbbb -->"
      assert.notStrictEqual(yield* tracker.comment(at, ref, { marker: other, body: `Plan ${other}`, id: null }), id)
    })
  )

  rule("a project names its labels, and lacks no right", ({ at, people, tracker }) =>
    Effect.gen(function* () {
      yield* people.open("writer", { title: "Fees", labels: ["ready"] })
      const facts = yield* tracker.inspect(at)
      assert.include(facts.labels, "ready")
      assert.deepStrictEqual([facts.project, facts.missing], [at.project, []])
    })
  )
}
