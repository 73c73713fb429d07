import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import type { Service } from "../../../../domain/oncall/Service.ts"
import { Field, type Filled, Select, Once } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Button, Empty, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { SeverityBadge } from "../incidents/Severity.tsx"
import { counted } from "../incidents/IncidentWords.ts"
import { HoursBadge, notified } from "./ServiceFacts.tsx"
import { pathOf } from "./ServiceView.tsx"

export interface Services {
  readonly base: string
  readonly at: OnCall
  readonly isAdmin: boolean
  readonly filled: Filled
}

const sourcesOf = ({ sources }: OnCall, { id }: Service) =>
  sources.filter(({ deletedAt, services }) => deletedAt === null && services.includes(id)).map(({ name }) => name)

const NewService = ({ at, base, filled }: Services) => (
  <Panel id="new" title="Add a service">
    {at.teams.length === 0 ? (
      <p class="body small">A service belongs to a team. Create a team first.</p>
    ) : (
      <form class="body stack" method="post" action={`${base}/services`} novalidate>
        <Once />
        <Field
          name="name"
          label="Name"
          hint="As alerts name it, such as checkout."
          filled={filled}
          maxLength={200}
          autocomplete="off"
        />
        <Select
          name="team"
          label="Team"
          filled={filled}
          options={at.teams.map((slug) => ({ value: slug, label: slug }))}
        />
        <Button tone="primary wide tall">Add the service</Button>
      </form>
    )}
  </Panel>
)

/** Services of all teams with what matters on call. */
export const ServiceList = (shown: Services) => {
  const { at, base, isAdmin } = shown
  const services = at.services.filter(({ deletedAt }) => deletedAt === null)
  return (
    <>
      <Crumbs way={[["On-call", `${base}/incidents`]]} here="Services" />
      <Heading title="Services">
        <Lede>What your teams run, when its alerts open incidents, and who is notified.</Lede>
      </Heading>
      <div class={isAdmin ? "cols" : "stack"}>
        <Panel
          id="services"
          title="Services"
          end={`${services.length}`}
          footer={isAdmin ? "Delete a service on its own page." : "Adding and changing services takes an admin."}
        >
          {services.length === 0 ? (
            <Empty title="No service is on call yet" icon="siren">
              Alerts open incidents of a service. Add the first one.
            </Empty>
          ) : (
            <Table
              caption="Services"
              rows={services}
              idOf={({ id }) => `service-${id}`}
              columns={[
                {
                  head: "Name",
                  fold: "f-start",
                  cell: (service) => (
                    <>
                      <a href={pathOf(base, service)} data-row>
                        {service.name}
                      </a>
                      <span class="sub">{service.team}</span>
                    </>
                  )
                },
                { head: "Now", fold: "f-end", cell: ({ settings }) => <HoursBadge hours={settings.hours} /> },
                {
                  head: "Lowest severity",
                  label: "Severity",
                  cell: ({ settings }) => <SeverityBadge of={settings.minimumSeverity} />
                },
                {
                  head: "Notified",
                  label: "Notified",
                  cell: (service) =>
                    notified(at, service).length === 0 ? (
                      <span class="s-warn b">
                        <Icon name="warn" /> Nobody
                      </span>
                    ) : (
                      counted(notified(at, service).length, "member")
                    )
                },
                {
                  head: "Fed by",
                  label: "Fed by",
                  cell: (service) => sourcesOf(at, service).join(", ") || <span class="muted">no source</span>
                }
              ]}
            />
          )}
        </Panel>
        {isAdmin ? <NewService {...shown} /> : null}
      </div>
    </>
  )
}

/** The question before a service or a source is deleted; a reader who may not do it reads why. */
export const DeletePage = ({
  effects,
  filled,
  isAdmin,
  name,
  path,
  way,
  what
}: {
  readonly what: "service" | "source"
  readonly name: string
  readonly path: string
  readonly way: ReadonlyArray<readonly [name: string, href: string]>
  readonly effects: string
  readonly isAdmin: boolean
  readonly filled: Filled
}) => (
  <>
    <Crumbs way={way} here="Delete" />
    <Heading title={`Delete ${name}?`} />
    {isAdmin ? (
      <form class="stack" method="post" action={`${path}/delete`} novalidate>
        <p>{effects}</p>
        <Field name="confirm" label={`Type ${name} to confirm`} filled={filled} autocomplete="off" spellcheck={false} />
        <p class="bar">
          <LinkButton href={path}>Keep it</LinkButton>
          <Button tone="danger solid">Delete the {what}</Button>
        </p>
      </form>
    ) : (
      <Notice tone="info" icon="lock">
        <p>Deleting a {what} takes an admin.</p>
      </Notice>
    )}
  </>
)
