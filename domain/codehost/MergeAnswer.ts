import { oneLine } from "../value/Text.ts"

/** Meaning of the answer of a code host to a merge. */
export type MergeVerdict =
  | { readonly type: "merged"; readonly commit: string }
  /** The branch is not at the verified commit any more: the approval is stale. */
  | { readonly type: "moved" }
  /** It conflicts with the base. */
  | { readonly type: "conflict" }
  /** Nothing is decided: the same merge is asked for again. */
  | { readonly type: "again"; readonly reason: string; readonly waitSeconds: number | null }
  /** The answer does not say why: the pull request does. */
  | { readonly type: "look"; readonly reason: string }
  /** The branch takes changes from its merge queue alone. */
  | { readonly type: "queue" }
  /** A rule of the repository stands in the way, and a person must look at it. */
  | { readonly type: "blocked"; readonly rule: string }
  /** It will never be merged this way. */
  | { readonly type: "refused"; readonly reason: string }

/** The answer to a merge. */
export interface MergeAnswer {
  readonly status: number
  readonly message: string
  /** The merge commit of a merge that was made. */
  readonly commit: string | null
  /** Seconds that a limit asks to wait. */
  readonly waitSeconds: number | null
}

const again = (reason: string, waitSeconds: number | null = null): MergeVerdict => ({
  type: "again",
  reason,
  waitSeconds
})

/** Words of rules that a status or a review still fulfils: the merge waits for them. */
const awaited =
  /required status checks? .*(expected|pending|in progress|waiting)|checks? (are|is) (pending|in progress)/i

const queue = /merge queue/i

/** Words of rules that only people change. */
const rules =
  /review|approv|protected branch|rule violation|status check|conversation|signature|signed|linear history|not allowed|not authorized|restricted|deployment|code owner|locked|archived|read-only/i

/** 405: the host reports several situations with one status and tells them apart by its message. */
const notAllowed = (message: string): MergeVerdict => {
  if (/base branch was modified/i.test(message)) return again(message)
  if (/merge already in progress/i.test(message)) return again(message)
  if (/head branch was modified|out[- ]of[- ]date/i.test(message)) return { type: "look", reason: message }
  if (/draft/i.test(message)) return { type: "blocked", rule: message }
  if (awaited.test(message)) return again(message)
  if (queue.test(message)) return { type: "queue" }
  if (rules.test(message)) return { type: "blocked", rule: message }
  return { type: "look", reason: message }
}

/** Reads the answer to a merge. The messages are those of GitHub. */
export const readMergeAnswer = (answer: MergeAnswer): MergeVerdict => {
  const { commit, status, waitSeconds } = answer
  const message = oneLine(answer.message).trim() || `The answer was ${status}.`
  if (status === 200)
    return commit === null ? { type: "look", reason: "The answer names no commit." } : { type: "merged", commit }
  if (status >= 500 || status === 408 || status === 0) return again(message)
  // The repository has another name: its team must be told.
  if (status >= 300 && status < 400) return again(message)
  if (status === 429 || (status === 403 && (waitSeconds !== null || /rate limit|abuse/i.test(message))))
    return again(message, waitSeconds)
  if (status === 405) return notAllowed(message)
  if (status === 409) return /head branch was modified/i.test(message) ? { type: "moved" } : again(message)
  // A wrong credential is the connection's trouble: the merge waits until it is repaired.
  if (status === 401) return again(message)
  if (status === 403 && waitSeconds === null && queue.test(message)) return { type: "queue" }
  if (status === 403 && rules.test(message)) return { type: "blocked", rule: message }
  if (status === 403 || status === 404) return again(message)
  if (status === 422 && /head sha|sha .*(match|was not)/i.test(message)) return { type: "moved" }
  return { type: "refused", reason: message }
}

/** The state of a pull request that was looked at. */
export interface Mergeability {
  readonly isMerged: boolean
  readonly mergeCommit: string | null
  readonly isClosed: boolean
  readonly isHeadVerified: boolean
  /** Null while the host computes it. */
  readonly mergeable: boolean | null
  /** Word of the host: clean, dirty, blocked, behind, draft, unstable, has_hooks, unknown. */
  readonly word: string
}

/** Decides by the pull request itself, after a lost answer or one without a reason. */
export const judgeMergeability = (seen: Mergeability, reason: string): MergeVerdict => {
  if (seen.isMerged && seen.mergeCommit !== null) return { type: "merged", commit: seen.mergeCommit }
  if (seen.isClosed) return { type: "refused", reason: "The pull request is closed." }
  if (!seen.isHeadVerified) return { type: "moved" }
  if (seen.word === "dirty") return { type: "conflict" }
  if (seen.word === "draft") return { type: "blocked", rule: "The pull request is a draft." }
  if (seen.word === "behind")
    return { type: "blocked", rule: "The branch must contain the newest commit of its base before it is merged." }
  if (seen.word === "blocked") return { type: "blocked", rule: reason }
  if (seen.mergeable === false) return { type: "conflict" }
  return again(reason)
}
