import type { ComponentChildren } from "preact"
import type { Channel } from "../../../../domain/workspace/Actor.ts"
import type { RecordedEntry } from "../../../../domain/workspace/Audit.ts"
import type { Severity } from "../../../../domain/value/Severity.ts"
import type { IconName } from "../components/Icon.tsx"
import { channels } from "../decisions/DecisionWords.ts"
import { severityWord } from "./Severity.tsx"
import type { Moment } from "./TimeLine.ts"

/** A moment of the time line: its icon and its words. */
export interface Shown {
  readonly icon: IconName
  readonly tone?: "bad" | "ok" | "wait" | "run"
  readonly words: ComponentChildren
}

const changeOf = (details: RecordedEntry["details"], side: "before" | "after") =>
  (details[side] ?? {}) as { readonly acknowledgedBy?: string; readonly severity?: Severity }

/** Sentence for an audit entry of the incident. */
export const recorded = ({ entry }: Moment & { type: "recorded" }): Shown => {
  const { actor, details, event } = entry
  const channel = channels[details["channel"] as Channel] as string | undefined
  const where = channel === undefined ? "" : `, ${channel}`
  if (event === "incident_resolved")
    return {
      icon: "check",
      tone: "ok",
      words:
        details["by"] === "recovery" ? (
          <p>Resolved, since no alert fires any more</p>
        ) : (
          <p>
            <b>{actor.name}</b> resolved it{where}
          </p>
        )
    }
  if (typeof details["note"] === "string")
    return {
      icon: "chat",
      tone: "run",
      words: (
        <>
          <p>
            <b>{actor.name}</b> noted{where}
          </p>
          <p class="said">{details["note"]}</p>
        </>
      )
    }
  const after = changeOf(details, "after")
  if (after.acknowledgedBy !== undefined)
    return {
      icon: "eye",
      words: (
        <p>
          <b>{after.acknowledgedBy}</b> looks after it{where}
        </p>
      )
    }
  const before = changeOf(details, "before")
  return {
    icon: "siren",
    tone: "bad",
    words: (
      <p>
        {details["reopened"] === true ? "Opened again. " : ""}
        {after.severity === undefined || before.severity === undefined
          ? null
          : `Its severity rose from ${severityWord(before.severity)} to ${severityWord(after.severity)}.`}
      </p>
    )
  }
}
