import type { SignalSource } from "../../../../domain/oncall/SignalSource.ts"
import { type Health, shown as shownCheck } from "../../../../domain/oncall/UptimeCheck.ts"
import { Pairs } from "../components/Facts.tsx"
import { Panel } from "../components/Parts.tsx"
import { Age } from "../components/Time.tsx"
import { counted } from "../incidents/IncidentWords.ts"

/** The address that an uptime source checks, and how it answers. */
export const CheckFacts = ({
  health,
  source
}: {
  readonly source: SignalSource
  readonly health: Health | undefined
}) => {
  if (source.check === null) return null
  const check = shownCheck(source.check)
  return (
    <Panel id="check" title="What is checked">
      <div class="body">
        <Pairs
          of={[
            ["Address", <code>{check.url}</code>],
            ["Every", `${check.intervalSeconds} s, within ${check.timeoutSeconds} s`],
            ["Expected status", String(check.expectedStatus)],
            ["Fires after", counted(check.failuresBeforeFiring, "failure")],
            ["Last check", health?.lastAt ? <Age at={health.lastAt} /> : "not yet"],
            ["State", health?.lastProblem ?? (health?.lastAt ? "It answers" : "Not known yet")]
          ]}
        />
      </div>
    </Panel>
  )
}
