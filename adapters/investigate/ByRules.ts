import { Effect, Layer } from "effect"
import { Investigator } from "../../application/ports/Investigator.ts"
import { type Evidence, type Finding, hoursOfSuspicion, type Merge } from "../../domain/Investigation.ts"
import type { SourceKind } from "../../domain/SignalSource.ts"
import { format } from "../../domain/Timestamp.ts"

/** Tools that tell of errors in code. */
const errorTracking = new Set<SourceKind>(["sentry"])

const named = ({ pullRequest, runKey, story }: Merge) =>
  [`${runKey} of ${story}`, ...(pullRequest === null ? [] : [pullRequest.url])].join(", ")

/** Needs no model: what was merged last is the suspect, and what an error tracker tells of is in the code. */
export const investigate = ({ kinds, merges }: Evidence): Finding => {
  const isCodeCaused = kinds.some((kind) => errorTracking.has(kind))
  const [suspect] = merges
  if (suspect !== undefined)
    return {
      suspect,
      isCodeCaused: true,
      summary: `The team's last merge before it was ${named(suspect)}, at ${format(suspect.mergedAt)}.`
    }
  const none = `No merge of the team is recorded in the last ${hoursOfSuspicion} hours`
  return {
    suspect: null,
    isCodeCaused,
    summary: isCodeCaused ? `${none}, but an error tracker tells of it: it is in the code.` : `${none}.`
  }
}

export const layer = Layer.succeed(Investigator, {
  investigate: (evidence) => Effect.sync(() => investigate(evidence))
})
