import type * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Console, Effect, Layer, Option, Redacted } from "effect"
import type { Json } from "../../application/ports/Json.ts"
import type { Page, PageRequest } from "../../application/ports/Page.ts"
import { type Cursors, InvalidCursor, layer as cursorLayer, type Listing } from "../../application/workspace/Cursors.ts"
import * as Pages from "../../application/workspace/Listing.ts"
import { SecretKey } from "../../application/secrets/SecretKey.ts"
import type { Person } from "../../application/workspace/Authorization.ts"
import { personalPrintingVerb, type Print, printingVerb } from "./Command.ts"
import { limit, usage } from "./Options.ts"

/** A cursor guards nothing here, since its reader can read the database; it is tied to its list and filters. */
const cursors = Layer.provide(cursorLayer, Layer.succeed(SecretKey, Redacted.make(new Uint8Array(32))))

const cursor = Options.optional(
  Options.text("cursor").pipe(
    Options.withPseudoName("CURSOR"),
    Options.withDescription("Cursor of the next page, from the previous output; with the same filters")
  )
)

/** Options of every list that comes in pages. */
export const paged = { limit, cursor }

export interface Asked {
  readonly limit: number
  readonly cursor: Option.Option<string>
}

export interface Listed<A> {
  readonly items: ReadonlyArray<A>
  readonly nextCursor: string | null
}

/** A list that is always complete. */
export const complete = <A>(items: ReadonlyArray<A>): Listed<A> => ({ items, nextCursor: null })

/** Reads one page and decodes it as its schema encodes it. */
export const pageOf = <A, I, E, R>(
  listing: Listing,
  { cursor, limit }: Asked,
  read: (request: PageRequest) => Effect.Effect<Page<A>, E, R>
) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const given = Option.getOrNull(cursor)
    const { items, nextCursor } = yield* Pages.page(listing, { limit, cursor: given }, (request) =>
      Effect.provide(read(request), context)
    ).pipe(
      Effect.mapError((error) =>
        error instanceof InvalidCursor
          ? usage(
              `--cursor ${error.problem}; got '${(given ?? "").slice(0, 200)}'. Give the one that the page before printed, with the same filters, or leave it out`
            )
          : error
      )
    )
    return { items: JSON.parse(items as Json<ReadonlyArray<A>>) as ReadonlyArray<I>, nextCursor }
  }).pipe(Effect.provide(cursors)) as Effect.Effect<Listed<I>, E | ReturnType<typeof usage>, Exclude<R, Cursors>>

const nextPage = (nextCursor: string) => `There are more; add --cursor ${nextCursor}`

/** Prints a page: for scripts in the shape of the API's lists, for people line by line. */
const printed =
  <A>(nothing: string, lines: (items: ReadonlyArray<A>) => ReadonlyArray<string>): Print<Listed<A>> =>
  ({ items, nextCursor }, isForScripts) => {
    if (isForScripts) return Console.log(JSON.stringify({ data: items, nextCursor }))
    const all = items.length === 0 ? [nothing] : lines(items)
    return Console.log([...all, ...(nextCursor === null ? [] : [nextPage(nextCursor)])].join("\n"))
  }

/** A list that a member reads. */
export const personalList = <Name extends string, const Config extends Command.Command.Config, A, E, R>(
  name: Name,
  description: string,
  config: Config,
  run: (person: Person, input: Command.Command.ParseConfig<Config>) => Effect.Effect<Listed<A>, E, R>,
  nothing: string,
  lines: (items: ReadonlyArray<A>) => ReadonlyArray<string>
) => personalPrintingVerb(name, description, config, run, printed(nothing, lines))

/** The same for the operator. */
export const list = <Name extends string, const Config extends Command.Command.Config, A, E, R>(
  name: Name,
  description: string,
  config: Config,
  run: (input: Command.Command.ParseConfig<Config>) => Effect.Effect<Listed<A>, E, R>,
  nothing: string,
  lines: (items: ReadonlyArray<A>) => ReadonlyArray<string>
) => printingVerb(name, description, config, run, printed(nothing, lines))
