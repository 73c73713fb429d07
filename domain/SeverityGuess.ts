import type { Signal } from "./Signal.ts"
import { type SignalSource, toolNames } from "./SignalSource.ts"

/** Said of every verdict on an alert whose severity was a guess. */
export const guessOf = ({ severity, unknownSeverity }: Signal, { kind }: SignalSource): string =>
  unknownSeverity === undefined
    ? ""
    : ` Severity '${unknownSeverity}' is not known to ${toolNames[kind]} sources; read as ${severity}.`
