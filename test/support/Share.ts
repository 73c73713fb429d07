import { inject } from "vitest"

/** One of seven shares of a long table, by day, so that a week of short runs covers all; the long form takes all. */
export const today = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  inject("full") ? all : all.filter((_, index) => index % 7 === inject("day") % 7)
