import { Effect } from "effect"
import type { Person } from "../../application/workspace/Authorization.ts"
import { CheckStore } from "../../application/ports/CheckStore.ts"
import type { OnCall } from "../../domain/oncall/commands/OnCallContext.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { isPosting, type SignalSource } from "../../domain/oncall/SignalSource.ts"
import { format, formatOrNull } from "../../domain/value/Timestamp.ts"
import * as UptimeCheck from "../../domain/oncall/UptimeCheck.ts"
import { line } from "./Options.ts"
import { signalAddress } from "./SignalAddress.ts"

export const name = line("name", "Name of the signal source")

/** A check with its last result. */
const checkShown = (check: UptimeCheck.Check, { failures, lastAt, lastProblem }: UptimeCheck.Health) => ({
  ...UptimeCheck.shown(check),
  failures,
  lastAt: formatOrNull(lastAt),
  lastProblem
})

/** Source as people see it: services by name, never a secret. A source without posts has no address. */
export const shown = (
  source: SignalSource,
  services: OnCall["services"],
  address: string,
  health: UptimeCheck.Health = UptimeCheck.unknown
) => ({
  id: source.id,
  name: source.name,
  kind: source.kind,
  url: isPosting(source.kind) ? `${address}/${source.token}` : null,
  services: services
    .filter(({ deletedAt, id }) => deletedAt === null && source.services.includes(id))
    .map((service) => service.name),
  timestampRequired: source.isTimestampRequired,
  credentials: source.credentials !== null,
  trouble: source.trouble,
  paused: source.pausedAt !== null,
  severities: source.severities,
  // Only CloudWatch has to subscribe before it can send.
  connected: source.disconnectedAt === null && (source.kind !== "cloudwatch" || source.topic !== null),
  disconnectedAt: formatOrNull(source.disconnectedAt),
  check: source.check && checkShown(source.check, health),
  createdAt: format(source.createdAt)
})

/** A source after a command has changed it. */
export const shownIn = (workspace: Person["workspace"], source: SignalSource) =>
  Effect.gen(function* () {
    const { services } = yield* (yield* OnCallStore).look(workspace)
    const healths = yield* (yield* CheckStore).healths(workspace)
    return shown(source, services, yield* signalAddress, healths.get(source.id))
  })
