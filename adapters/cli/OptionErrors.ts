import { Effect } from "effect"
import { InvalidDocument } from "../../application/work/import/ImportDocument.ts"

/** `teams[0].keyPrefix` → `--key-prefix` */
const optionOf = (path: string) =>
  path.replace(/^\w+\[0\]\.(\w+).*$/, "--$1").replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Maps an error of the document made from a command line to the option's name. */
export const named = <A, E, R>(effect: Effect.Effect<A, E | InvalidDocument, R>) =>
  Effect.mapError(effect, (error) =>
    error instanceof InvalidDocument ? new InvalidDocument({ ...error, path: optionOf(error.path) }) : error
  )
