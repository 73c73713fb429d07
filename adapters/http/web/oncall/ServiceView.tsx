import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import type { Service } from "../../../../domain/oncall/Service.ts"
import { Severity } from "../../../../domain/value/Severity.ts"
import { byEmail } from "../../../../domain/workspace/Member.ts"
import { Field, type Filled, Select } from "../components/Form.tsx"
import { Crumbs, Heading } from "../components/Heading.tsx"
import { Button, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Age } from "../components/Time.tsx"
import { SeverityBadge } from "../incidents/Severity.tsx"
import { listed } from "../incidents/IncidentWords.ts"
import { Boxes, Switch } from "./Boxes.tsx"
import { HoursBadge, notified, ServiceFacts, SettingPairs } from "./ServiceFacts.tsx"
import type { ServiceForm } from "./ServiceForm.ts"
import { WeekGrid, zones } from "./WeekGrid.tsx"

export interface Shown {
  readonly base: string
  readonly service: Service
  readonly at: OnCall
  readonly isAdmin: boolean
  readonly form: ServiceForm
  readonly errors: Filled["errors"]
  /** Set when the settings were refused as a whole. */
  readonly refusal: string | null
  /** True when somebody changed the service while the form was open. */
  readonly isStale: boolean
}

export const pathOf = (base: string, { id }: Pick<Service, "id">) => `${base}/services/${id}`

const severityHints: Record<Severity, string> = {
  critical: "critical, P1, SEV1, major outage",
  high: "high, error, P2, partial outage",
  medium: "warning, P3, and levels we do not know",
  low: "low, minor, P4",
  info: "info, P5, maintenance"
}

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

const Head = ({ at, base, service }: Shown) => {
  const sources = at.sources.filter(({ deletedAt, services }) => deletedAt === null && services.includes(service.id))
  return (
    <>
      <Crumbs
        way={[
          ["On-call", `${base}/incidents`],
          ["Services", `${base}/services`]
        ]}
        here={service.name}
      />
      <Heading title={service.name}>
        <p class="meta">
          <HoursBadge hours={service.settings.hours} />
          <span>{service.team}</span>
          <span>
            {sources.length === 0 ? (
              <>
                fed by no source.{" "}
                <a href={`${base}/sources/new?service=${encodeURIComponent(service.name)}`}>Add one</a>
              </>
            ) : (
              <>
                fed by{" "}
                {sources.map(({ id, name }, index) => (
                  <>
                    {index === 0 ? "" : ", "}
                    <a href={`${base}/sources/${id}`}>{name}</a>
                  </>
                ))}
              </>
            )}
          </span>
          <span>
            <a href={`${base}/incidents?status=all&service=${encodeURIComponent(service.name)}`}>its incidents</a>
          </span>
        </p>
      </Heading>
    </>
  )
}

const DaysField = ({ errors, form }: Pick<Shown, "errors" | "form">) => (
  <fieldset class="field" {...(errors["days"] && { "aria-describedby": "days-error" })}>
    <legend class="label">Days on which a window starts</legend>
    <div class="days">
      {days.map((day) => (
        <label>
          <input type="checkbox" name="days" value={day} checked={form.days.includes(day)} />
          <span>{day.charAt(0).toUpperCase() + day.slice(1)}</span>
        </label>
      ))}
    </div>
    {errors["days"] ? (
      <p class="error" id="days-error">
        {errors["days"]}
      </p>
    ) : null}
  </fieldset>
)

const HoursPanel = (shown: Shown) => {
  const { base, errors, form, service } = shown
  const filled: Filled = { values: { start: form.start, end: form.end, timeZone: form.timeZone }, errors }
  return (
    <Panel id="hours-title" title="On-call hours">
      <div class="body stack">
        <fieldset
          class="stack"
          hx-get={`${pathOf(base, service)}/hours`}
          hx-trigger="change"
          hx-sync="queue last"
          hx-target="#week"
        >
          <legend class="vh">Hours</legend>
          <Boxes
            name="hours"
            label="When alerts open incidents"
            type="radio"
            chosen={[form.hours]}
            error={errors["hours"]}
            options={[
              { value: "always", label: "Always" },
              {
                value: "some",
                label: "On these days, between these times",
                hint: "Outside them alerts are recorded and open no incident. Alerts of an open incident always join it."
              }
            ]}
          />
          <DaysField errors={errors} form={form} />
          <div class="fields">
            <Field name="start" label="From" filled={filled} inputmode="numeric" autocomplete="off" />
            <Field
              name="end"
              label="To"
              filled={filled}
              inputmode="numeric"
              autocomplete="off"
              hint="Before or at the start: the next day"
            />
            <Select
              name="timeZone"
              label="Time zone"
              filled={filled}
              options={zones(form.timeZone).map((zone) => ({ value: zone, label: zone }))}
            />
          </div>
        </fieldset>
        <div id="week">
          <WeekGrid hours={service.settings.hours} />
        </div>
      </div>
    </Panel>
  )
}

const ServiceSettings = (shown: Shown) => {
  const { at, base, errors, form, service } = shown
  const places = at.places.filter(({ team }) => team === service.team).map(({ name }) => name)
  const gone = service.settings.notify.filter((email) => byEmail(at.members, email) === undefined)
  return (
    <form class="cols" method="post" action={pathOf(base, service)} novalidate>
      <input type="hidden" name="updatedAt" value={form.updatedAt} />
      <div class="stack">
        <HoursPanel {...shown} />
        <Panel id="severity-title" title="What opens an incident">
          <div class="body">
            <Boxes
              name="minimumSeverity"
              label="Lowest severity"
              type="radio"
              isSide
              chosen={[form.minimumSeverity]}
              error={errors["minimumSeverity"]}
              options={Severity.literals.map((value) => ({
                value,
                label: <SeverityBadge of={value} />,
                hint: severityHints[value]
              }))}
            />
          </div>
        </Panel>
      </div>
      <div class="stack">
        <Panel id="may" title="What Gatehouse may do" footer="Changes to production outside the code are always asked.">
          <div class="body">
            <Switch name="observeOnly" label="Observe only" isOn={form.observeOnly}>
              Opens, investigates, posts and notifies people, and does nothing else.
            </Switch>
            <Switch name="startFixes" label="Start expedite fixes on its own" isOn={form.startFixes}>
              When the code is the cause and no merge is suspect. Off: a decision asks first.
            </Switch>
            <Switch
              name="acknowledgeInSource"
              label="Acknowledge and resolve alerts in the source"
              isOn={form.acknowledgeInSource}
            >
              Needs a PagerDuty or Opsgenie source with API credentials.
            </Switch>
          </div>
        </Panel>
        <Panel id="notified" title="Who is notified">
          <div class="body">
            <Boxes
              name="notify"
              label="Members"
              type="checkbox"
              chosen={form.notify}
              error={errors["notify"]}
              options={at.members.map(({ email, name }) => ({ value: email, label: name, hint: email }))}
            />
            {gone.length === 0 ? null : (
              <p class="small">Left the workspace and is not notified any more: {listed(gone)}.</p>
            )}
          </div>
        </Panel>
        <Panel id="posted" title="Where incidents are posted">
          <div class="body stack">
            <Boxes
              name="places"
              label="Places of the team"
              type="radio"
              chosen={[form.places]}
              error={errors["places"]}
              options={[
                {
                  value: "every",
                  label: "Every place of the team",
                  hint: places.length === 0 ? "It has none today" : `${listed(places)} today`
                },
                ...(places.length === 0 ? [] : [{ value: "some", label: "Only these" }]),
                { value: "none", label: "Nowhere" }
              ]}
            />
            {places.length === 0 ? null : (
              <Boxes
                name="place"
                label="These"
                type="checkbox"
                chosen={form.place}
                options={places.map((name) => ({ value: name, label: name }))}
              />
            )}
            <p class="small">
              <a href={`${base}/settings/places`}>Places of all teams</a>
            </p>
          </div>
        </Panel>
        <div class="stack">
          <Button tone="primary wide tall">Save the settings</Button>
          <p class="small muted">
            Saved <Age at={service.updatedAt ?? service.createdAt} />. Changes are in the audit log.
          </p>
          <p>
            <LinkButton href={`${pathOf(base, service)}/delete`} tone="danger">
              Delete the service
            </LinkButton>
          </p>
        </div>
      </div>
    </form>
  )
}

/** A service with its on-call settings. */
export const ServicePage = (shown: Shown) => {
  const { at, errors, isAdmin, isStale, refusal, service } = shown
  return (
    <>
      <Head {...shown} />
      {refusal === null && Object.keys(errors).length === 0 ? null : (
        <Notice tone="bad" isAlert>
          <p>{refusal ?? "Nothing was saved. The fields below say what to change."}</p>
        </Notice>
      )}
      {isStale ? (
        <Notice tone="warn" isAlert>
          <h2>{service.name} has changed since you opened this form</h2>
          <p>Nothing is saved yet. Its settings are now:</p>
          <SettingPairs at={at} service={service} />
          <p>Your choices are in the form below. Take over what you want to keep, then save it.</p>
        </Notice>
      ) : null}
      {isAdmin && notified(at, service).length === 0 ? (
        <Notice tone="warn">
          <p>Nobody is notified of its incidents. Choose members below.</p>
        </Notice>
      ) : null}
      {isAdmin ? <ServiceSettings {...shown} /> : <ServiceFacts at={shown.at} service={service} />}
    </>
  )
}
