import { Either, Schema } from "effect"
import { plain, type Severity } from "../../value/Severity.ts"
import type { SignalSource } from "../SignalSource.ts"

export class TooManyWords extends Schema.TaggedError<TooManyWords>()("TooManyWords", {
  source: Schema.String,
  count: Schema.Int,
  most: Schema.Int
}) {
  override get message() {
    return `The signal source '${this.source}' would map ${this.count} words to severities; at most ${this.most} are allowed. Remove one with '--severity <word>='.`
  }
}

const mostWords = 50

/** Returns the words of a source after additions, changes and removals. */
export const mapped = ({ name, severities }: SignalSource, changes: ReadonlyMap<string, Severity | null>) => {
  const words = new Map<string, Severity>(Object.entries(severities))
  for (const [word, severity] of changes) {
    if (severity === null) words.delete(plain(word))
    else words.set(plain(word), severity)
  }
  return words.size > mostWords
    ? Either.left(new TooManyWords({ source: name, count: words.size, most: mostWords }))
    : Either.right(Object.fromEntries(words))
}
