import { printable } from "../../../domain/value/Text.ts"
import { redactStart } from "../SecretRedaction.ts"

/** Characters that wait to be sent; older ones are left out when more come. */
const mostWaiting = 524_288

/** Characters of one line in the log. */
const mostLine = 8192

/** Cuts text so that its JSON has at most so many bytes. */
export const fitting = (text: string, bytes: number): string => {
  let [low, high] = [0, Math.min(text.length, bytes)]
  if (Buffer.byteLength(JSON.stringify(text.slice(0, high))) <= bytes && high === text.length) return text
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (Buffer.byteLength(JSON.stringify(text.slice(0, middle))) <= bytes) low = middle
    else high = middle - 1
  }
  return text.slice(0, low).replace(/\p{Surrogate}$/u, "")
}

/** Lines of an attempt that wait to be sent. */
export const logBuffer = (redact: (text: string) => string) => {
  let waiting = ""
  let leftOut = 0
  return {
    add: (line: string): void => {
      waiting +=
        line.length > mostLine ? `${redactStart(redact, line, mostLine)}… (${line.length} characters)\n` : `${line}\n`
      if (waiting.length > mostWaiting) {
        const rest = waiting.slice(-mostWaiting / 2)
        leftOut += waiting.length - rest.length
        waiting = rest.slice(rest.indexOf("\n") + 1)
      }
    },
    /** True when one part of so many bytes takes all that waits. */
    fits: (bytes: number): boolean =>
      waiting.length <= bytes && Buffer.byteLength(JSON.stringify(waiting)) <= bytes / 2,
    /** Takes the next part to send. */
    take: (bytes: number): string => {
      const note = leftOut === 0 ? "" : `… ${leftOut} characters are left out\n`
      // Redaction may lengthen text only by a few characters a line, so this much is enough to fill a part.
      const end = waiting.length <= bytes ? waiting.length : waiting.lastIndexOf("\n", bytes) + 1 || bytes
      const ready = redact(printable(`${note}${waiting.slice(0, end)}`))
      const part = fitting(ready, bytes)
      waiting = `${ready.slice(part.length)}${waiting.slice(end)}`
      leftOut = 0
      return part
    }
  }
}
