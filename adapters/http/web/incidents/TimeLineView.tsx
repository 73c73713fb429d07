import type { Sent } from "../../../../domain/oncall/Incident.ts"
import { Icon } from "../components/Icon.tsx"
import { Outside } from "../components/Link.tsx"
import { Badge } from "../components/Parts.tsx"
import { Time, WithTimes } from "../components/Time.tsx"
import { format } from "../components/Times.ts"
import { decisionStates } from "../decisions/DecisionWords.ts"
import { useReader } from "../Reader.ts"
import { recorded, type Shown } from "./RecordedView.tsx"
import { SeverityBadge } from "./Severity.tsx"
import type { Moment, Why } from "./TimeLine.ts"
import { counted, listed } from "./IncidentWords.ts"

const Because = ({ why }: { readonly why: Why | null }) =>
  why === null ? null : (
    <p class="why">
      <b>{why.verdict}</b>
      <span>{why.because}</span>
    </p>
  )

const fired = ({ alert, why }: Moment & { type: "fired" }): Shown => {
  const { count, description, links, severity, source, stale, title } = alert
  return {
    icon: "siren",
    tone: "bad",
    words: (
      <>
        <p>
          <b>{title}</b> fires <SeverityBadge of={severity} />
        </p>
        <Because why={why} />
        {description === null ? null : <p class="small said">{description}</p>}
        <p class="small muted">
          From {source}
          {count > 1 ? `, sent ${counted(count, "time")} since` : ""}
          {stale ? ", not for 24 hours" : ""}
          {links.slice(0, 3).map(({ label, url }) => (
            <>
              {". "}
              <Outside href={url}>{label === "" ? url : label}</Outside>
            </>
          ))}
        </p>
      </>
    )
  }
}

const ended = ({ alert, why }: Moment & { type: "ended" }): Shown => ({
  icon: "check",
  tone: "ok",
  words: (
    <>
      <p>
        <b>{alert.title}</b> {why?.verdict === "Ended by hand." ? "ended" : "recovered"}
      </p>
      <Because why={why} />
    </>
  )
})

const eventWords: Readonly<Record<string, string>> = {
  opened: "that it opened",
  reopened: "that it opened again",
  updated: "of news",
  asked: "that a decision is needed",
  resolved: "that it is resolved"
}

const postWords: Readonly<Record<string, string>> = {
  opened: "it opened",
  reopened: "it opened again",
  updated: "news",
  asked: "a decision is needed",
  resolved: "it is resolved"
}

const notified = ({ notices }: Moment & { type: "notified" }): Shown => ({
  icon: "bell",
  words: (
    <p>
      {listed(notices.map(({ name }) => name))} {notices.length === 1 ? "was" : "were"} notified{" "}
      {eventWords[notices[0]?.event ?? ""] ?? ""}
    </p>
  )
})

const isDone = ({ status }: Sent) => status === "done"
const isOver = ({ status }: Sent) => status === "failed"

const posted = (sent: ReadonlyArray<Sent>, first: Sent): Shown => {
  const places = listed(sent.map(({ to }) => to))
  const what = postWords[first.event] ?? ""
  return {
    icon: "chat",
    words: (
      <>
        <p>
          {isDone(first) ? "Posted to " : isOver(first) ? "Not posted to " : "Waits to be posted to "}
          <b>{places}</b>
          {what === "" ? "" : `: ${what}`}
        </p>
        {first.error === null ? null : <Because why={{ verdict: "Last answer:", because: first.error }} />}
      </>
    )
  }
}

const updated = (sent: ReadonlyArray<Sent>, first: Sent): Shown => ({
  icon: "check",
  words: (
    <>
      <p>
        {isDone(first)
          ? first.event === "resolved"
            ? "Resolved in "
            : "Acknowledged in "
          : `${isOver(first) ? "Not" : "Waits to be"} ${first.event} in `}
        <b>{listed(sent.map(({ to }) => to))}</b>
      </p>
      {first.error === null ? null : <Because why={{ verdict: "Last answer:", because: first.error }} />}
    </>
  )
})

const found = ({ investigation }: Moment & { type: "found" }): Shown => {
  const { reasons, storyKey, summary, suspect } = investigation
  const pull = suspect?.pullRequest ?? null
  const more = reasons.filter((reason) => !summary.includes(reason))
  return {
    icon: "search",
    words: (
      <>
        <p>
          Investigated. <WithTimes text={summary} />
        </p>
        {pull === null ? null : (
          <p>
            Suspect: <Outside href={pull.url}>{`#${pull.number}`}</Outside> ({suspect?.story})
          </p>
        )}
        {more.length === 0 ? null : <p class="small muted">{more.join("; ")}</p>}
        {storyKey === null ? null : <p class="small muted">The fix is {storyKey}.</p>}
      </>
    )
  }
}

const asked = ({ decision }: Moment & { type: "asked" }, base: string): Shown => {
  const [icon, tone, word] = decisionStates[decision.status]
  return {
    icon: "person",
    tone: "wait",
    words: (
      <p>
        Asked: <a href={`${base}/decisions/${decision.key}`}>{decision.title}</a>{" "}
        <Badge icon={icon} tone={tone}>
          {word}
        </Badge>
      </p>
    )
  }
}

const answered = ({ decision }: Moment & { type: "answered" }): Shown => {
  const chosen = decision.options.find(({ id }) => id === decision.resolution?.optionId)
  return {
    icon: "check",
    tone: "ok",
    words: (
      <>
        <p>
          Answered: <b>{chosen?.label ?? decision.resolution?.optionId}</b>
        </p>
        {decision.resolution?.note ? <p class="said">{decision.resolution.note}</p> : null}
      </>
    )
  }
}

const shownOf = (moment: Moment, base: string): Shown => {
  switch (moment.type) {
    case "fired":
      return fired(moment)
    case "ended":
      return ended(moment)
    case "notified":
      return notified(moment)
    case "sent": {
      const [first] = moment.sent
      return first?.kind === "update_source" ? updated(moment.sent, first) : posted(moment.sent, first as Sent)
    }
    case "found":
      return found(moment)
    case "asked":
      return asked(moment, base)
    case "answered":
      return answered(moment)
    case "recorded":
      return recorded(moment)
  }
}

/** Seconds of today, and the day of everything older. */
const At = ({ at }: { readonly at: Moment["at"] }) => {
  const reader = useReader()
  const isToday = format("day", at, reader) === format("day", reader.now, reader)
  return (
    <p class="at">
      <Time at={at} as={isToday ? "second" : "moment"} />
    </p>
  )
}

/** The timeline: an icon, a sentence, its reason and its time for each event, oldest first. */
export const TimeLine = ({ base, of }: { readonly base: string; readonly of: ReadonlyArray<Moment> }) => (
  <ol class="tl" id="time-line">
    {of.map((moment) => {
      const { icon, tone = "", words } = shownOf(moment, base)
      return (
        <li>
          <span class={`pin ${tone}`}>
            <Icon name={icon} />
          </span>
          <div class="what">{words}</div>
          <At at={moment.at} />
        </li>
      )
    })}
  </ol>
)
