import { inject } from "vitest"
import { isLong } from "./Long.ts"

const part = <A>(all: ReadonlyArray<A>, parts: number) =>
  all.filter((_, index) => index % parts === inject("day") % parts)

/** One of seven shares of a long table, by day, so that a week of short runs covers all; the long form takes all. */
export const today = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => (inject("full") ? all : part(all, 7))

/** One of seven shares of a table, by day; CI takes all too. */
export const turns = <A>(all: ReadonlyArray<A>, parts = 7): ReadonlyArray<A> => (isLong ? all : part(all, parts))
