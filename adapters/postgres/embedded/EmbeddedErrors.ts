import { Effect, Schema } from "effect"

export class EmbeddedPostgresFailed extends Schema.TaggedError<EmbeddedPostgresFailed>()("EmbeddedPostgresFailed", {
  reason: Schema.String
}) {
  override get message() {
    return `The embedded Postgres cannot be used: ${this.reason}\nTo use a Postgres server of your own instead, set DATABASE_URL.`
  }
}

export const failed = (reason: string) => new EmbeddedPostgresFailed({ reason })

export const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""

/** Explains a system error to the person who has to fix it. */
export const explain = (error: unknown): string => {
  switch (codeOf(error)) {
    case "EACCES":
    case "EPERM":
      return "permission denied"
    case "EROFS":
      return "the file system is read-only"
    case "ENOSPC":
    case "EDQUOT":
      return "no space is left on the disk"
    case "EEXIST":
    case "ENOTDIR":
      return "a file is in the way"
    default:
      return error instanceof Error ? error.message : String(error)
  }
}

/** Runs a file operation; `doing` completes the sentence "cannot …". */
export const attempt = <A>(doing: string, operation: () => A) =>
  Effect.try({ try: operation, catch: (error) => failed(`cannot ${doing}: ${explain(error)}.`) })
