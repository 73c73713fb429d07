import { Statement } from "@effect/sql"
import { Effect, Option } from "effect"

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Actual Rows"?: number
  readonly "Actual Loops"?: number
  readonly "Rows Removed by Filter"?: number
  readonly "Shared Hit Blocks"?: number
  readonly "Shared Read Blocks"?: number
  readonly Plans?: ReadonlyArray<Node>
}

/** Every node of a plan, its root first. */
export type Plan = ReadonlyArray<Node>

const nodes = (node: Node): Plan => [node, ...(node.Plans ?? []).flatMap(nodes)]

let seen: Array<Plan> | null = null

/** Beneath the ports, so that it sees every statement, also one that several requests share. */
export const explaining = Statement.setTransformer((statement, sql) =>
  seen === null
    ? Effect.succeed(statement)
    : (sql<{
        readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Node }>
      }>`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`.pipe(
        Effect.locally(Statement.currentTransformer, Option.none()),
        Effect.orDie,
        Effect.map(([row]) => {
          seen?.push(nodes(row?.["QUERY PLAN"][0]?.Plan ?? { "Node Type": "none" }))
          return statement
        })
      ) as never)
)

/** Runs a use of the database, and explains the plan of each of its statements. */
export const plansOf = <A, E>(use: Effect.Effect<A, E>): Effect.Effect<ReadonlyArray<Plan>> =>
  Effect.gen(function* () {
    const plans: Array<Plan> = []
    seen = plans
    yield* Effect.ensuring(
      Effect.orDie(use),
      Effect.sync(() => (seen = null))
    )
    return plans
  })

/** The same for a read, which has one statement. */
export const planOf = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<Plan> =>
  Effect.flatMap(plansOf(read), (plans) => Effect.orDie(Effect.fromNullable(plans.at(-1))))

/** The most rows one of its nodes read, including the discarded ones. */
export const rowsRead = (plan: Plan): number =>
  Math.max(
    ...plan.map(
      (node) => ((node["Actual Rows"] ?? 0) + (node["Rows Removed by Filter"] ?? 0)) * (node["Actual Loops"] ?? 1)
    )
  )

/** Pages of 8 KB that were touched, in cache or on disk. */
export const buffers = ([root]: Plan): number =>
  (root?.["Shared Hit Blocks"] ?? 0) + (root?.["Shared Read Blocks"] ?? 0)
