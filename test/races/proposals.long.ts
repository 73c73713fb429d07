import { assert, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Stories from "../../application/work/Stories.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import * as Scene from "./Scene.ts"

const count = 40

it.scopedLive("proposals that are accepted at once, while stories are written, get a story number each", () =>
  Effect.gen(function* () {
    const contexts = yield* Scene.instances(2)
    const questions = Array.from({ length: count }, () => ({
      kind: "maintenance_proposal" as const,
      actions: ["accept_proposal", "decline_proposal"] as const
    }))
    const { id, owner } = yield* Effect.gen(function* () {
      const { id, slug } = yield* Seed.workspace
      yield* Seed.load(slug, Scene.proposed(questions))
      return { id, owner: yield* People.person(slug) }
    }).pipe(Effect.provide(Scene.pick(contexts, 0)))
    const team = "payments" as TeamSlug
    const written = { team, title: "Written by hand", column: "backlog" as const, draft: true }
    yield* Effect.forEach(
      questions,
      (_, index) =>
        Decisions.answer(owner, {
          decision: Scene.decisionKey(index),
          optionId: "accept_proposal",
          note: null,
          idempotency: null
        }).pipe(
          Effect.zipRight(index % 4 === 0 ? Stories.create(owner, written) : Effect.void),
          Effect.provide(Scene.pick(contexts, index))
        ),
      { concurrency: "unbounded" }
    )
    const numbers = yield* Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql<{ readonly number: number }>`SELECT number FROM stories WHERE workspace_id = ${id} ORDER BY number`
    ).pipe(Effect.provide(Scene.pick(contexts, 1)))
    assert.deepStrictEqual(
      numbers.map(({ number }) => number),
      Array.from({ length: count + count / 4 }, (_, index) => index + 1)
    )
  })
)
