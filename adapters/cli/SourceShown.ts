import { Effect } from "effect"
import type { Person } from "../../application/Acting.ts"
import { type OnCall, OnCallStore } from "../../application/ports/OnCallStore.ts"
import type { SignalSource } from "../../domain/SignalSource.ts"
import { format, formatOrNull } from "../../domain/Timestamp.ts"
import { line } from "./Given.ts"
import { signalAddress } from "./SignalAddress.ts"

export const name = line("name", "Name of the signal source")

/** What may be seen of a source: services by name, never a secret. */
export const shown = (source: SignalSource, services: OnCall["services"], address: string) => ({
  id: source.id,
  name: source.name,
  kind: source.kind,
  url: `${address}/${source.token}`,
  services: services
    .filter(({ deletedAt, id }) => deletedAt === null && source.services.includes(id))
    .map((service) => service.name),
  timestampRequired: source.isTimestampRequired,
  credentials: source.credentials !== null,
  paused: source.pausedAt !== null,
  connected: source.disconnectedAt === null,
  disconnectedAt: formatOrNull(source.disconnectedAt),
  createdAt: format(source.createdAt)
})

/** A source as it is once a command has changed it. */
export const shownIn = (workspace: Person["workspace"], source: SignalSource) =>
  Effect.gen(function* () {
    const { services } = yield* (yield* OnCallStore).look(workspace)
    return shown(source, services, yield* signalAddress)
  })
