import { type DateTime, Either, Schema } from "effect"
import { format, Timestamp } from "./Timestamp.ts"

/** Refuses a change that was made from an older version. */
export class ChangedMeanwhile extends Schema.TaggedError<ChangedMeanwhile>()("ChangedMeanwhile", {
  what: Schema.String,
  at: Timestamp
}) {
  override get message() {
    return `${this.what} was changed meanwhile, at ${format(this.at)}. Nothing was saved; look at it again first.`
  }
}

interface Dated {
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc | null
}

/** The time that tells the versions of a row apart. */
export const versionOf = ({ createdAt, updatedAt }: Dated): DateTime.Utc => updatedAt ?? createdAt

/** Compares the version that a change began with; null stands for any. */
export const checkVersion = (
  what: string,
  row: Dated,
  expected: DateTime.Utc | null
): Either.Either<void, ChangedMeanwhile> => {
  const at = versionOf(row)
  return expected === null || expected.epochMillis === at.epochMillis
    ? Either.right(undefined)
    : Either.left(new ChangedMeanwhile({ what, at }))
}
