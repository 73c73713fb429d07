import { Effect } from "effect"
import { InvalidDocument } from "../../application/work/import/ImportDocument.ts"

/** `teams[0].keyPrefix` → `--key-prefix` */
const optionOf = (path: string) =>
  path.replace(/^\w+\[0\]\.(\w+).*$/, "--$1").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** What is refused of a document that one command line stands for is refused by the option's name. */
export const named = <A, E, R>(effect: Effect.Effect<A, E | InvalidDocument, R>) =>
  Effect.mapError(effect, (error) =>
    error instanceof InvalidDocument ? new InvalidDocument({ ...error, path: optionOf(error.path) }) : error
  )
