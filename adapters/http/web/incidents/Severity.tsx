import type { IncidentView } from "../../../../domain/oncall/Incident.ts"
import type { Severity } from "../../../../domain/value/Severity.ts"
import { Badge } from "../components/Parts.tsx"

const shown = {
  critical: { word: "Critical", tone: "crit", icon: "sev4" },
  high: { word: "High", tone: "bad", icon: "sev3" },
  medium: { word: "Medium", tone: "warn", icon: "sev2" },
  low: { word: "Low", tone: "", icon: "sev1" },
  info: { word: "Info", tone: "line", icon: "sev0" }
} as const satisfies Record<Severity, object>

export const severityWord = (severity: Severity): string => shown[severity].word

export const SeverityBadge = ({ of }: { readonly of: Severity }) => {
  const { icon, tone, word } = shown[of]
  return (
    <Badge icon={icon} tone={tone}>
      {word}
    </Badge>
  )
}

export const StateBadge = ({ of }: { readonly of: IncidentView["status"] }) =>
  of === "open" ? (
    <Badge icon="siren" tone="bad">
      Open
    </Badge>
  ) : (
    <Badge icon="check" tone="ok">
      Resolved
    </Badge>
  )

/** `checkout in production` */
export const spotOf = ({ environment, service }: Pick<IncidentView, "environment" | "service">): string =>
  environment === null ? service : `${service} in ${environment}`
