import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import { contains } from "../../../../domain/oncall/OnCallHours.ts"
import type { Service } from "../../../../domain/oncall/Service.ts"
import { byEmail } from "../../../../domain/workspace/Member.ts"
import { Pairs } from "../components/Facts.tsx"
import { Badge, Notice, Panel } from "../components/Parts.tsx"
import { SeverityBadge } from "../incidents/Severity.tsx"
import { listed } from "../incidents/IncidentWords.ts"
import { useReader } from "../Reader.ts"
import { WeekGrid } from "./WeekGrid.tsx"

const onOff = (isOn: boolean) => (isOn ? "On" : "Off")

export const HoursBadge = ({ hours }: Pick<Service["settings"], "hours">) =>
  contains(hours, useReader().now) ? (
    <Badge icon="check" tone="ok">
      On call
    </Badge>
  ) : (
    <Badge icon="pause" tone="line">
      Outside its hours
    </Badge>
  )

interface Shown {
  readonly at: OnCall
  readonly service: Service
}

/** Names of the members that are notified; those who left are not. */
export const notified = ({ members }: Pick<OnCall, "members">, { settings }: Service): ReadonlyArray<string> =>
  settings.notify.flatMap((email) => byEmail(members, email)?.name ?? [])

const hoursIn = (hours: Service["settings"]["hours"]) =>
  hours === "always" ? "Always" : `${hours.days.join(", ")} from ${hours.start} to ${hours.end}, ${hours.timeZone}`

export const SettingPairs = ({ at, service }: Shown) => {
  const { settings } = service
  return (
    <Pairs
      of={[
        ["On-call hours", hoursIn(settings.hours)],
        ["Lowest severity", <SeverityBadge of={settings.minimumSeverity} />],
        ["Observe only", onOff(settings.observeOnly)],
        ["Starts fixes", onOff(settings.startFixes)],
        ["Updates the source", onOff(settings.acknowledgeInSource)],
        ["Notified", listed(notified(at, service)) || "Nobody"],
        [
          "Places",
          settings.places === null
            ? "Every place of the team"
            : settings.places.length === 0
              ? "Nowhere"
              : listed(settings.places)
        ]
      ]}
    />
  )
}

/** The settings as a member reads them. */
export const ServiceFacts = ({ at, service }: Shown) => {
  const { settings } = service
  return (
    <div class="cols">
      <Panel id="hours-title" title="On-call hours">
        <div class="body">
          <WeekGrid hours={settings.hours} />
        </div>
      </Panel>
      <div class="stack">
        <Panel id="facts" title="Settings">
          <div class="body">
            <SettingPairs at={at} service={service} />
          </div>
        </Panel>
        <Notice tone="info" icon="lock">
          <p>Every member reads this. Changing it takes an admin.</p>
        </Notice>
      </div>
    </div>
  )
}
