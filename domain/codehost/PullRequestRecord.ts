import { Schema } from "effect"
import { orNull } from "../value/Nullable.ts"
import { Line, WebAddress } from "../value/Text.ts"
import { RunKey } from "../value/RunKey.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { StoryKey } from "../work/Story.ts"
import { TeamSlug } from "../workspace/Team.ts"

/** A full commit id, SHA-1 or SHA-256; nothing else reaches a command line. */
export const CommitId = Schema.String.pipe(
  Schema.pattern(/^([0-9a-f]{40}|[0-9a-f]{64})$/, { message: () => "must be a full commit id in lower case" }),
  Schema.brand("CommitId")
)
export type CommitId = typeof CommitId.Type

/** Names that git refuses, and some that it allows but nobody needs. */
// oxlint-disable-next-line no-control-regex
const refused = /^[-/.@]|\.\.|\/\/|\/[.-]|@\{|[\u0000-\u0020\u007f~^:?*[\\]|[/.]$|\.lock(\/|$)/

/** Name of a branch, without `refs/heads/`. */
export const BranchName = Line(250).pipe(
  Schema.filter((name) => !refused.test(name) || "must be the name of a branch, such as main"),
  Schema.brand("BranchName")
)
export type BranchName = typeof BranchName.Type

export const PullRequestNumber = Schema.Int.pipe(Schema.between(1, 2_147_483_647), Schema.brand("PullRequestNumber"))
export type PullRequestNumber = typeof PullRequestNumber.Type

export const PullRequestState = Schema.Literal("open", "merged", "closed")

/** A pull request on a code host that numbers them itself. */
export interface OnHost {
  readonly number: PullRequestNumber
  readonly url: string
}

/** A pull request that the service opened, numbered within its workspace. */
export class PullRequestRecord extends Schema.Class<PullRequestRecord>("PullRequestRecord")({
  number: PullRequestNumber,
  team: TeamSlug,
  repository: Line(500),
  branch: BranchName,
  base: BranchName,
  /** The verified commit: nothing else is merged. */
  head: CommitId,
  title: Line(500),
  state: PullRequestState,
  mergeCommit: Schema.NullOr(CommitId),
  runKey: Schema.NullOr(RunKey),
  story: Schema.NullOr(StoryKey),
  /** Number of the pull request whose merge this one reverts. */
  reverts: Schema.NullOr(PullRequestNumber),
  /** Number and address on a code host that numbers pull requests itself. */
  hostNumber: orNull(PullRequestNumber),
  hostUrl: orNull(WebAddress),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  mergedAt: Schema.NullOr(Timestamp)
}) {}

/** A pull request as its page shows it. */
export const PullRequestView = Schema.Struct({
  ...PullRequestRecord.fields,
  /** Number of the pull request that reverts this one. */
  revertedBy: Schema.NullOr(PullRequestNumber)
})
export type PullRequestView = typeof PullRequestView.Type

export class PullRequestNotFound extends Schema.TaggedError<PullRequestNotFound>()("PullRequestNotFound", {
  number: Schema.String
}) {
  override get message() {
    return `There is no pull request '${this.number}' in this workspace.`
  }
}
