import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { PullRequestStore } from "../../application/ports/codehost/PullRequestStore.ts"
import * as Json from "../../application/ports/Json.ts"
import * as Teams from "../../application/work/Teams.ts"
import { BranchName, PullRequestNotFound, PullRequestView } from "../../domain/codehost/PullRequestRecord.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import * as Pulls from "../codehost/Pulls.ts"
import { commit, merge, number, proposal } from "../codehost/Pulls.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import type { Stores } from "../support/World.ts"

const payments = "payments" as TeamSlug
const run = "run-aaaa" as RunKey

const place = Effect.tap(Seed.workspace, ({ slug }) =>
  Seed.load(slug, {
    teams: [{ slug: payments, name: "Payments", keyPrefix: "PAY" }],
    stories: [{ key: "PAY-1", team: payments, title: "Round the fees" }],
    runs: [{ key: run, story: "PAY-1" }]
  })
)

const open = (workspace: WorkspaceId, more: Parameters<typeof Pulls.open>[1] = {}) =>
  Pulls.open(workspace, { runKey: run, story: "PAY-1" as StoryKey, ...more })

export const pullRequestStoreContract = <E>(adapter: string, layer: Layer.Layer<Stores, E>) =>
  it.layer(layer, { timeout: "60 seconds" })(`PullRequestStore (${adapter})`, (it) => {
    it.effect("numbers pull requests from 1 in each workspace, and keeps every field", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* place, yield* place]
        const { record, slug } = yield* open(one.id)
        assert.deepStrictEqual([record.number, slug], [1, one.slug])
        const second = yield* open(one.id, { branch: BranchName.make("other"), runKey: null, story: null })
        assert.strictEqual(second.record.number, 2)
        assert.strictEqual((yield* open(other.id)).record.number, 1)
        const store = yield* PullRequestStore
        const json = yield* store.get(one.id, number(1))
        const view = Json.decoder(PullRequestView)(json)
        assert.strictEqual(Json.encoder(PullRequestView)(view), json)
        assert.deepStrictEqual({ ...view }, { ...record, revertedBy: null })
      })
    )

    it.effect("has one open pull request of a branch, and a new one after its end", () =>
      Effect.gen(function* () {
        const { id } = yield* place
        const many = Effect.replicateEffect(open(id), 5, { concurrency: "unbounded" })
        assert.deepStrictEqual([...new Set((yield* many).map(({ record }) => record.number))], [1])
        const moved = yield* open(id, { head: commit("b") })
        assert.deepStrictEqual([moved.record.number, moved.record.head], [1, commit("b")])
        const merged = yield* merge(id, 1)
        assert.deepStrictEqual([merged.state, merged.mergeCommit], ["merged", commit("f")])
        assert.deepInclude<object>(yield* Effect.flip(merge(id, 1, commit("e"))), { mergeCommit: commit("f") })
        assert.strictEqual((yield* open(id, { head: commit("b") })).record.number, 1)
        assert.strictEqual((yield* open(id, { head: commit("c") })).record.number, 2)
        const { items } = yield* (yield* AuditLog).page(id, { ...Seed.anyEntry, run }, { limit: 10, before: null })
        assert.strictEqual(Json.each(items).length, 5)
      })
    )

    it.effect("gives every pull request of many at once a number of its own", () =>
      Effect.gen(function* () {
        const { id } = yield* place
        const names = Array.from({ length: 12 }, (_, index) => BranchName.make(`branch-${index}`))
        const opened = yield* Effect.forEach(names, (branch) => open(id, { branch }), { concurrency: "unbounded" })
        const numbers = opened.map(({ record }) => record.number).toSorted((a, b) => a - b)
        assert.deepStrictEqual<ReadonlyArray<number>>(
          numbers,
          names.map((_, index) => index + 1)
        )
      })
    )

    it.effect("finds them by run, merge and revert, in their own workspace alone", () =>
      Effect.gen(function* () {
        const [{ id }, other] = [yield* place, yield* place]
        const store = yield* PullRequestStore
        yield* open(id)
        yield* merge(id, 1)
        const reverting = { branch: BranchName.make("revert-1"), reverts: number(1), head: commit("b") }
        yield* open(id, reverting)
        const { repository } = proposal
        const clues = [
          [{ run }, 1],
          [{ repository, mergeCommit: commit("f") }, 1],
          [{ reverts: number(1) }, 2],
          [{ run: "run-zzzz" as RunKey }, null],
          [{ repository: "/srv/git/other.git", mergeCommit: commit("f") }, null],
          [{ repository, mergeCommit: commit("e") }, null],
          [{ reverts: number(2) }, null]
        ] as const
        for (const [clue, expected] of clues) {
          assert.strictEqual<number | null>(
            (yield* store.find(id, clue))?.number ?? null,
            expected,
            JSON.stringify(clue)
          )
          assert.isNull(yield* store.find(other.id, clue))
        }
        const view = Json.decoder(PullRequestView)(yield* store.get(id, number(1)))
        assert.strictEqual(view.revertedBy, 2)
        assert.strictEqual((yield* Effect.flip(store.get(other.id, number(1))))._tag, "PullRequestNotFound")
        assert.instanceOf(yield* Effect.flip(merge(other.id, 1)), PullRequestNotFound)
      })
    )

    it.effect("hides those of a deleted team", () =>
      Effect.gen(function* () {
        const { id, slug } = yield* place
        yield* open(id)
        yield* Teams.remove(yield* People.person(slug), payments, payments)
        const store = yield* PullRequestStore
        assert.strictEqual((yield* Effect.flip(store.get(id, number(1)))).message.includes("'1'"), true)
      })
    )
  })
