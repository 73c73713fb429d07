import type { Service } from "../../../../domain/oncall/Service.ts"
import { longestNote, type DecisionView } from "../../../../domain/work/Decision.ts"
import type { MemberId } from "../../../../domain/workspace/Member.ts"
import { Confirm, Dialog } from "../components/Dialog.tsx"
import { Pairs } from "../components/Facts.tsx"
import { type Filled, TextArea, unfilled, Once } from "../components/Form.tsx"
import { Crumbs, Heading } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Inline } from "../decisions/Markdown.tsx"
import { Live } from "../components/Live.tsx"
import { Button, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Time, TimeLeft } from "../components/Time.tsx"
import { lengthOf } from "../components/Times.ts"
import { useReader } from "../Reader.ts"
import { RecipientList } from "./RecipientList.tsx"
import { recipientsOf } from "./Recipients.ts"
import { SeverityBadge, severityWord, spotOf, StateBadge } from "./Severity.tsx"
import { type Facts, timeLine } from "./TimeLine.ts"
import { TimeLine } from "./TimeLineView.tsx"
import { counted } from "./IncidentWords.ts"

export interface Detail extends Facts {
  readonly base: string
  readonly self: MemberId
  /** Null once it is deleted. */
  readonly settings: Service["settings"] | null
  readonly note?: Filled
  /** Says why something that the person asked for was not done. */
  readonly refusal?: { readonly title: string; readonly text: string }
}

const addressOf = ({ base, incident }: Pick<Detail, "base" | "incident">) => `${base}/incidents/${incident.key}`

const firingOf = ({ alerts }: Pick<Facts, "alerts">) => alerts.filter(({ status }) => status === "firing").length

/** Effects of resolving the incident. */
const Consequences = (detail: Detail) => {
  const firing = firingOf(detail)
  const isUpdated = detail.settings?.acknowledgeInSource === true && !detail.settings.observeOnly
  return (
    <ul class="effects">
      <li>
        {firing === 0
          ? "No alert fires any more."
          : `${counted(firing, "firing alert")} ${firing === 1 ? "ends" : "end"} here${isUpdated ? ", and in the tools that sent them, where their keys are known" : ""}.`}
      </li>
      <li>Everybody who was notified is notified that it is over.</li>
      <li>If an alert fires again within 10 minutes, the incident opens again.</li>
    </ul>
  )
}

const Question = ({ base, decision }: { readonly base: string; readonly decision: DecisionView }) => (
  <Panel
    id="question"
    title="Waits for a person"
    end={<TimeLeft from={decision.createdAt} until={decision.expiresAt} />}
  >
    <div class="body stack">
      <p>
        <b>
          <Inline text={decision.title} />
        </b>
      </p>
      <p class="small muted">
        Recommended: <Inline text={decision.options.find(({ id }) => id === decision.recommendation)?.label ?? ""} />
      </p>
      <LinkButton href={`${base}/decisions/${decision.key}`} tone="primary wide">
        Look and answer
      </LinkButton>
    </div>
  </Panel>
)

const Unattended = (detail: Detail) => (
  <Panel id="unattended" title="Nobody looks after it yet">
    <form class="body stack" method="post" action={`${addressOf(detail)}/acknowledge`}>
      <p>Acknowledge it, so that the others see that you do. It stays open.</p>
      <Button tone="primary wide tall" icon="eye">
        Acknowledge
      </Button>
    </form>
  </Panel>
)

const modeOf = ({ observeOnly, startFixes }: Service["settings"]) =>
  observeOnly
    ? "Observes only: asks and starts nothing"
    : startFixes
      ? "May ask for a revert and start fixes"
      : "May ask for a revert or a fix"

const Now = (detail: Detail) => {
  const { alerts, incident, settings } = detail
  return (
    <Panel id="now" title="Now">
      <div class="body">
        <Pairs
          of={[
            ["Firing", `${firingOf({ alerts })} of ${counted(incident.alerts, "alert")}`],
            ["Highest so far", severityWord(incident.severity)],
            ["Opened", <Time at={incident.openedAt} />],
            ...(incident.resolvedAt === null ? [] : [["Resolved", <Time at={incident.resolvedAt} />] as const]),
            ...(incident.acknowledgedAt === null
              ? []
              : [["Acknowledged", <Time at={incident.acknowledgedAt} />] as const]),
            ...(settings === null ? [] : [["Mode", modeOf(settings)] as const])
          ]}
        />
      </div>
    </Panel>
  )
}

const Recipients = ({ history, self }: Detail) => {
  const recipients = recipientsOf(history)
  return (
    <Panel id="recipients" title="Who was notified">
      <div class="body">
        {recipients.length === 0 ? (
          <p class="small muted">Nobody. The settings of the service name no member and no place, or it just opened.</p>
        ) : (
          <RecipientList of={recipients} self={self} />
        )}
      </div>
    </Panel>
  )
}

const NoteForm = ({ detail }: { readonly detail: Detail }) => (
  <form class="stack" method="post" action={`${addressOf(detail)}/note`}>
    <Once />
    <TextArea
      name="note"
      label="Note"
      hint="What you saw or did. It stays in the time line and the audit log."
      filled={detail.note ?? unfilled}
      maxLength={longestNote}
      aria-keyshortcuts="n"
      data-draft={`${detail.self} ${detail.incident.key}`}
    />
    <p>
      <Button>Add the note</Button>
    </p>
  </form>
)

const Meta = ({ incident }: Pick<Detail, "incident">) => {
  const { now } = useReader()
  const { acknowledgedBy, openedAt, resolvedAt, severity, status, team } = incident
  return (
    <p class="meta">
      <SeverityBadge of={severity} />
      <StateBadge of={status} />
      <span class="num">for {lengthOf((resolvedAt ?? now).epochMillis - openedAt.epochMillis)}</span>
      <span>{spotOf(incident)}</span>
      <span>Team {team}</span>
      {acknowledgedBy === null ? null : (
        <span>
          <Icon name="eye" />
          {acknowledgedBy} {status === "open" ? "looks" : "looked"} after it
        </span>
      )}
    </p>
  )
}

const Older = ({ facts: { alerts, hasMoreAlerts, incident } }: { readonly facts: Facts }) =>
  hasMoreAlerts ? (
    <p class="small muted">
      The newest {counted(alerts.length, "alert")} of {incident.alerts.toLocaleString("en")} are shown.
    </p>
  ) : null

/** One incident: what waits for a person, what happened, and who knows of it. */
export const IncidentDetail = (detail: Detail) => {
  const { base, decision, incident, refusal } = detail
  const isOpen = incident.status === "open"
  const path = addressOf(detail)
  return (
    <>
      <Crumbs way={[["Incidents", `${base}/incidents`]]} here={incident.key} />
      {refusal === undefined ? null : (
        <Notice tone="warn" isAlert>
          <h2>{refusal.title}</h2>
          <p>{refusal.text}</p>
        </Notice>
      )}
      <Live id="incident" path={path} topics={[incident.key, "jobs"]}>
        <Heading
          title={incident.title}
          actions={
            isOpen ? (
              <a class="btn" href={`${path}/resolve`} data-dialog="resolve">
                <Icon name="check" />
                Resolve
              </a>
            ) : null
          }
        >
          <Meta incident={incident} />
        </Heading>
        <div class="cols inc">
          <div class="stack">
            {isOpen && incident.acknowledgedBy === null ? <Unattended {...detail} /> : null}
            {decision?.status === "pending" ? <Question base={base} decision={decision} /> : null}
          </div>
          <Panel id="happened" title="Time line" end="Oldest first" footer={<NoteForm detail={detail} />}>
            <div class="body">
              <Older facts={detail} />
              <TimeLine base={base} of={timeLine(detail)} />
            </div>
          </Panel>
          <div class="stack">
            <Now {...detail} />
            <Recipients {...detail} />
          </div>
        </div>
      </Live>
      {isOpen ? (
        <Dialog
          id="resolve"
          title={`Resolve ${incident.key}?`}
          action={`${path}/resolve`}
          confirm="Resolve it"
          keep="Keep it open"
        >
          <Consequences {...detail} />
        </Dialog>
      ) : null}
    </>
  )
}

/** The question before an incident is resolved, as a page of its own. */
export const ResolvePage = (detail: Detail) => {
  const path = addressOf(detail)
  const { base, incident } = detail
  return (
    <>
      <Crumbs
        way={[
          ["Incidents", `${base}/incidents`],
          [incident.key, path]
        ]}
        here="Resolve"
      />
      <Heading title={`Resolve ${incident.key}?`}>
        <p class="meta">
          <SeverityBadge of={incident.severity} />
          <span>{incident.title}</span>
        </p>
      </Heading>
      <Confirm action={`${path}/resolve`} back={path} confirm="Resolve it" keep="Keep it open">
        <Consequences {...detail} />
      </Confirm>
    </>
  )
}
