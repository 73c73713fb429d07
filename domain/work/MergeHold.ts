import { Schema } from "effect"
import { type Decision, DecisionKey, DecisionStatus, type Kind } from "./Decision.ts"
import { format, Timestamp } from "../value/Timestamp.ts"

/** The kind of decision that holds the merges of its team. */
export const holdingKind: Kind = "main_red_incident"

/** Final states without an answer; a superseded decision hands its hold to the decision that replaced it. */
export const unanswered: ReadonlyArray<DecisionStatus> = ["expired", "cancelled"]

/** The decision that holds the merges of a team, and the start of the hold. */
export const MergeHold = Schema.Struct({ decision: DecisionKey, status: DecisionStatus, since: Timestamp })
export type MergeHold = typeof MergeHold.Type

export const holdOf = ({ createdAt, key, status }: Decision): MergeHold => ({ decision: key, status, since: createdAt })

/**
 * Returns the hold on a team's merges, from its decisions in the order they were raised. A pending decision holds. One
 * that ended unanswered goes on holding until a newer one is resolved: the main branch is as red as before.
 */
export const mergeHold = (decisions: ReadonlyArray<Decision>): MergeHold | null => {
  const red = decisions.filter(({ kind }) => kind === holdingKind)
  const pending = red.find(({ status }) => status === "pending")
  const sinceAnswer = red.slice(red.findLastIndex(({ status }) => status === "resolved") + 1)
  const holding = pending ?? sinceAnswer.find(({ status }) => unanswered.includes(status))
  return holding === undefined ? null : holdOf(holding)
}

/** The hold as an audit entry records it. */
export const recorded = (hold: MergeHold | null) =>
  hold === null ? {} : { mergeHold: { ...hold, since: format(hold.since) } }

/** Describes the hold: the decision, its start, and how the merge continues. */
export const describe = ({ decision, since, status }: MergeHold): string =>
  `held by ${decision} (${status}) since ${format(since)}, when the main branch was reported red; ` +
  (status === "pending"
    ? `it continues when ${decision} is resolved`
    : `it continues when a newer ${holdingKind} of the team is raised and resolved`)
