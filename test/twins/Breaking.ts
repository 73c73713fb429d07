import { Statement } from "@effect/sql"
import { Effect } from "effect"
import { type Predicate, without } from "./Predicates.ts"

/** Records the sent statements, and sends one of them without one of its conditions. */
export const breaking = () => {
  let seen: Set<string> | null = null
  let broken: Predicate | null = null
  const layer = Statement.setTransformer((statement, sql) => {
    const [text, parameters] = statement.compile()
    seen?.add(text)
    return Effect.succeed(text === broken?.statement ? sql.unsafe(without(broken), parameters) : statement)
  })
  return {
    layer,
    /** The statements sent by a use. */
    sentBy: async <A>(use: () => Promise<A>): Promise<readonly [answer: A, statements: ReadonlySet<string>]> => {
      const statements = new Set<string>()
      seen = statements
      const answer = await use()
      seen = null
      return [answer, statements]
    },
    breaking: async <A>(predicate: Predicate, use: () => Promise<A>): Promise<A> => {
      broken = predicate
      try {
        return await use()
      } finally {
        broken = null
      }
    }
  }
}
