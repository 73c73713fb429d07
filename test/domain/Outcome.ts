import { Either } from "effect"
import type { Change, Decided } from "../../domain/Change.ts"

type Tagged = { readonly _tag: string } | string

const tagOf = (error: Tagged) => (typeof error === "string" ? error : error._tag)

/** The tag of a refusal, recorded or not. */
export const refusal = <A, F extends Tagged, E extends Tagged>(decided: Either.Either<Decided<A, F>, E>) =>
  Either.isLeft(decided) ? tagOf(decided.left) : Either.getOrNull(Either.map(Either.flip(decided.right.answer), tagOf))

/** The change and result of a command that succeeds. */
export const success = <A, F, E>(decided: Either.Either<Decided<A, F>, E>) => {
  const { answer, change } = Either.getOrThrow(decided)
  return { change, result: Either.getOrThrow(answer) }
}

/** Details of a change's first entry, without the fields that every entry has. */
export const detailsOf = ({ audit: [{ details }] }: Change) => {
  const { channel: _, requestId: __, v: ___, ...rest } = details
  return rest
}

/** Events of a change with their entities, in order. */
export const recorded = ({ audit }: Change) =>
  audit.map(({ entity, event }) => `${event} ${entity.type} ${entity.name}`)
