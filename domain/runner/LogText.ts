import { redacted } from "../value/Redaction.ts"
import { printable } from "../value/Text.ts"

/** Text for a log that a runner or an agent sent: it steers no terminal, and shows no secret by its form. */
export const logText = (text: string): string => redacted(printable(text))
