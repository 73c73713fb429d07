import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import type { Service } from "../../../../domain/oncall/Service.ts"
import { Pairs } from "../components/Facts.tsx"
import { Notice, Panel } from "../components/Parts.tsx"
import { SeverityBadge } from "../incidents/Severity.tsx"
import { listed } from "../incidents/IncidentWords.ts"
import { WeekGrid } from "./WeekGrid.tsx"

const onOff = (isOn: boolean) => (isOn ? "On" : "Off")

/** The settings as a member reads them. */
export const ServiceFacts = ({ at, service }: { readonly at: OnCall; readonly service: Service }) => {
  const { settings } = service
  const nameOf = (email: string) => at.members.find((member) => member.email === email)?.name ?? email
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
            <Pairs
              of={[
                ["Lowest severity", <SeverityBadge of={settings.minimumSeverity} />],
                ["Observe only", onOff(settings.observeOnly)],
                ["Starts fixes", onOff(settings.startFixes)],
                ["Updates the source", onOff(settings.acknowledgeInSource)],
                ["Notified", settings.notify.length === 0 ? "Nobody" : listed(settings.notify.map(nameOf))],
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
          </div>
        </Panel>
        <Notice tone="info" icon="lock">
          <p>Every member reads this. Changing it takes an admin.</p>
        </Notice>
      </div>
    </div>
  )
}
