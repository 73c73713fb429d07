import type { IncidentView } from "../../../../domain/oncall/Incident.ts"
import { Heading, Lede, Tabs } from "../components/Heading.tsx"
import { Live } from "../components/Live.tsx"
import { Select } from "../components/Form.tsx"
import { Empty, LinkButton } from "../components/Parts.tsx"
import { Age, WithTimes } from "../components/Time.tsx"
import { SeverityBadge, spotOf, StateBadge } from "./Severity.tsx"
import { counted } from "./IncidentWords.ts"

export const statuses = ["open", "resolved", "all"] as const

/** Filters and page of the list, as its address holds them. */
export interface Asked {
  readonly status: (typeof statuses)[number]
  /** Name of a service, or empty. */
  readonly service: string
}

const addressOf = (base: string, { service, status }: Asked, cursor: string | null = null) => {
  const query = new URLSearchParams({
    ...(status !== "open" && { status }),
    ...(service !== "" && { service }),
    ...(cursor !== null && { cursor })
  }).toString()
  return `${base}/incidents${query === "" ? "" : `?${query}`}`
}

const tabNames = { open: "Open", resolved: "Resolved", all: "All" }

const state = ({ acknowledgedBy, status }: IncidentView) =>
  status === "resolved"
    ? acknowledgedBy === null
      ? "Nobody looked after it"
      : `${acknowledgedBy} looked after it`
    : acknowledgedBy === null
      ? "Nobody looks after it yet"
      : `${acknowledgedBy} looks after it`

const Row = ({ base, incident }: { readonly base: string; readonly incident: IncidentView }) => (
  <li class="row">
    <div class="t">
      <a href={`${base}/incidents/${incident.key}`} data-row>
        <WithTimes text={incident.title} />
      </a>
      <p class="meta">
        <SeverityBadge of={incident.severity} />
        <span>{spotOf(incident)}</span>
        <span>{counted(incident.alerts, "alert")}</span>
      </p>
    </div>
    <p class="r">{state(incident)}</p>
    <p class="a">
      <Age at={incident.openedAt} />
    </p>
    <p class="l">
      <StateBadge of={incident.status} />
    </p>
  </li>
)

const Nothing = ({ asked, base }: { readonly asked: Asked; readonly base: string }) => {
  const { service, status } = asked
  if (service !== "")
    return (
      <Empty
        title={`No ${status === "all" ? "" : `${status} `}incidents of ${service}`}
        acts={<LinkButton href={addressOf(base, { status: "all", service: "" })}>Clear the filters</LinkButton>}
      >
        Alerts of this service opened none, or they are over.
      </Empty>
    )
  return status === "open" ? (
    <Empty
      title="Nothing is on fire"
      acts={<LinkButton href={addressOf(base, { status: "all", service: "" })}>See all incidents</LinkButton>}
    >
      When an alert is severe enough and comes within on-call hours, its incident appears here without a reload, and the
      members on call are notified.
    </Empty>
  ) : (
    <Empty
      title="No incidents yet"
      icon="siren"
      acts={<LinkButton href={`${base}/first-steps`}>Connect an alerting tool</LinkButton>}
    >
      An alerting tool that is connected as a source sends alerts. Those that are severe enough open incidents.
    </Empty>
  )
}

export const IncidentList = ({
  asked,
  base,
  incidents,
  nextCursor,
  path,
  services
}: {
  readonly base: string
  readonly asked: Asked
  readonly incidents: ReadonlyArray<IncidentView>
  readonly nextCursor: string | null
  /** Address of this page. */
  readonly path: string
  readonly services: ReadonlyArray<string>
}) => (
  <>
    <Heading title="Incidents">
      <Lede>Problems of your services, from the alerts that were severe enough to wake somebody. Newest first.</Lede>
    </Heading>
    <Tabs
      label="Which incidents"
      tabs={statuses.map((status) => ({
        name: tabNames[status],
        href: addressOf(base, { ...asked, status }),
        isCurrent: status === asked.status
      }))}
    />
    {services.length === 0 ? null : (
      <form class="bar" method="get" action={`${base}/incidents`} data-autosubmit>
        {asked.status === "open" ? null : <input type="hidden" name="status" value={asked.status} />}
        <Select
          name="service"
          label="Service"
          isLabelHidden
          filled={{ values: { service: asked.service }, errors: {} }}
          options={[{ value: "", label: "All services" }, ...services.map((name) => ({ value: name, label: name }))]}
        />
        <button class="btn no-js" type="submit">
          Show
        </button>
      </form>
    )}
    <Live id="incidents" path={path} topics={["incidents"]}>
      <p class="vh" role="status">
        {incidents.length === 0 ? "No incidents" : `${counted(incidents.length, "incident")} on this page`}
      </p>
      {incidents.length === 0 ? (
        <Nothing asked={asked} base={base} />
      ) : (
        <ul class="rows">
          {incidents.map((incident) => (
            <Row base={base} incident={incident} />
          ))}
        </ul>
      )}
      {nextCursor === null ? null : (
        <p class="gap-top">
          <LinkButton href={addressOf(base, asked, nextCursor)}>Older incidents</LinkButton>
        </p>
      )}
    </Live>
  </>
)
