import { Effect, Schema } from "effect"
import * as Incidents from "../../../../application/oncall/Incidents.ts"
import * as Listing from "../../../../application/workspace/Listing.ts"
import { OnCallStore } from "../../../../application/ports/OnCallStore.ts"
import { IncidentNotFound } from "../../../../domain/oncall/Incident.ts"
import { parseKey } from "../../../../domain/value/IncidentKey.ts"
import { keys, maybe, page, pageOf, paging, text, tool } from "../Tool.ts"

const incidentOf = (incident: string) => Effect.mapError(parseKey(incident), () => new IncidentNotFound({ incident }))

const list = tool(
  {
    name: "list_incidents",
    title: "List incidents",
    description: "Lists incidents, newest first.",
    kind: "read",
    right: null,
    input: {
      status: maybe(Schema.Literal("open", "resolved")),
      service: maybe(text("Name of the service")),
      ...paging
    }
  },
  ({ workspace }, { service = null, status = null, ...asked }) =>
    Effect.gen(function* () {
      const store = yield* OnCallStore
      const listing = { workspace, list: "incidents", filters: { service, status } }
      const filter = { service, status, since: null }
      return page(yield* Listing.page(listing, pageOf(asked), (one) => store.incidentPage(workspace, filter, one)))
    })
)

const get = tool(
  {
    name: "get_incident",
    title: "Get an incident",
    description: "Returns an incident with its newest alerts and the finding of its investigation.",
    kind: "read",
    right: null,
    input: { incident: keys.incident }
  },
  ({ workspace }, { incident }) =>
    Effect.gen(function* () {
      const key = yield* incidentOf(incident)
      const store = yield* OnCallStore
      const found = yield* store.incident(workspace, key)
      const filter = { incident: key, source: null, status: null }
      const { items } = yield* store.alertPage(workspace, filter, { limit: 25, before: null })
      return `{"incident":${found},"alerts":${items}}`
    })
)

const acknowledge = tool(
  {
    name: "acknowledge_incident",
    title: "Acknowledge an incident",
    description: "Records that the member whose token this is looks after an open incident.",
    kind: "change",
    right: "incident acknowledge",
    input: { incident: keys.incident }
  },
  (member, { incident }) =>
    Effect.gen(function* () {
      const { key } = yield* Incidents.acknowledge(member, yield* incidentOf(incident))
      return yield* (yield* OnCallStore).incident(member.workspace, key)
    })
)

export const incidentTools = [list, get, acknowledge]
