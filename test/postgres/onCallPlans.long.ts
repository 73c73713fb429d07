import { SqlClient } from "@effect/sql"
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { Inbox } from "../../application/ports/Inbox.ts"
import { SignalStore } from "../../application/ports/SignalStore.ts"
import * as People from "../support/People.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import { WorkspaceStore } from "../../application/ports/WorkspaceStore.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import * as At from "../contract/scenes/OnCallScene.ts"
import { crowdOnCall } from "../support/CrowdOnCall.ts"
import { explaining, planOf, rowsRead } from "../support/Plan.ts"
import * as TestPostgres from "../support/TestPostgres.ts"

const page = { limit: 25, before: null }
const anyIncident = { status: null, service: null, since: null }
const anyAlert = { incident: null, source: null, status: null }

/** Tables whose few rows fit on one page, which is cheaper to scan than any index. */
const few: ReadonlySet<string> = new Set(["services", "signal_sources", "teams", "members", "workspaces"])

it.layer(Layer.provide(TestPostgres.layer, explaining), { timeout: "60 seconds" })("plans of on-call lists", (it) => {
  it.effect("every list and filter stands on an index, without a sort, and reads no more than its page", () =>
    Effect.gen(function* () {
      const { id, owner, slug, source } = yield* At.place
      const quiet = yield* At.connect(id, "quiet", ["search"])
      const member = yield* People.person(slug, "member")
      const sql = yield* SqlClient.SqlClient
      yield* sql.unsafe(`
        INSERT INTO notifications (workspace_id, id, member, event, subject, text, created_at)
          SELECT '${id}', gen_random_uuid(), '${owner.member.id}', 'opened', 'Down', 'Down', now()
          FROM generate_series(1, 2000)`)
      yield* sql.unsafe(crowdOnCall(id, source.id)).pipe(sql.withTransaction)
      const store = yield* OnCallStore
      const signals = yield* SignalStore
      const inbox = yield* Inbox
      const workspaces = yield* WorkspaceStore
      const incident = "inc-03e8" as IncidentKey
      const [past, future] = [DateTime.unsafeMake(0), DateTime.unsafeMake("9000-01-01")]
      const lists: Readonly<Record<string, Effect.Effect<unknown>>> = {
        incidents: store.incidentPage(id, anyIncident, page),
        "open incidents": store.incidentPage(id, { ...anyIncident, status: "open" }, page),
        "incidents of a service": store.incidentPage(id, { ...anyIncident, service: "checkout" }, page),
        "incidents of a service without any": store.incidentPage(id, { ...anyIncident, service: "search" }, page),
        "open incidents of a service without any": store.incidentPage(
          id,
          { ...anyIncident, service: "search", status: "open" },
          page
        ),
        "incidents of a service without any since a time": store.incidentPage(
          id,
          { ...anyIncident, service: "search", since: past },
          page
        ),
        "alerts of a source without any": store.alertPage(id, { ...anyAlert, source: "quiet" }, page),
        "firing alerts of a source without any": store.alertPage(
          id,
          { ...anyAlert, source: "quiet", status: "firing" },
          page
        ),
        "deliveries of a source": signals.ledger(id, source.id, page),
        "deliveries of a source without any": signals.ledger(id, quiet.id, page),
        "notifications of a member": inbox.page(id, owner.member.id, page),
        "notifications of a member without any": inbox.page(id, member.member.id, page),
        "incidents since a time": store.incidentPage(id, { ...anyIncident, since: past }, page),
        "incidents since now": store.incidentPage(id, { ...anyIncident, since: future }, page),
        "one incident": Effect.orDie(store.incident(id, incident)),
        alerts: store.alertPage(id, anyAlert, page),
        "firing alerts": store.alertPage(id, { ...anyAlert, status: "firing" }, page),
        "alerts of a source": store.alertPage(id, { ...anyAlert, source: "grafana" }, page),
        "alerts of an incident": store.alertPage(id, { ...anyAlert, incident }, page),
        workspaces: workspaces.list(null, 26)
      }
      for (const [name, list] of Object.entries(lists)) {
        const plan = (yield* planOf(list)).filter((node) => !few.has(node["Relation Name"] ?? ""))
        const types = plan.map((node) => node["Node Type"]).join()
        if (name !== "workspaces") assert.notMatch(types, /Seq Scan|Sort|Bitmap/, name)
        assert.isAtMost(rowsRead(plan), 27, name)
      }
    })
  )
})
