import type { OnCallContext } from "../../../domain/oncall/commands/OnCallContext.ts"
import { Alert, type AlertId } from "../../../domain/oncall/Alert.ts"
import { SignalSource } from "../../../domain/oncall/SignalSource.ts"
import { freshId } from "../../../domain/work/Fresh.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import * as Sample from "../Sample.ts"
import { incident } from "./FindingScene.ts"
import { people, place } from "./NotifyScene.ts"
import { at, service, source } from "./TriageScene.ts"

export const payments = "payments" as TeamSlug
export const checkout = service(1, "checkout")
export const tool = source(1, "tool", [checkout])
export const quiet = new SignalSource({ ...source(2, "quiet", []), pausedAt: at(0) })
export const gone = new SignalSource({ ...source(3, "gone", []), deletedAt: at(0) })

const check = { url: "https://shop.acme.test/", intervalSeconds: 60, timeoutSeconds: 10 }
export const shop = new SignalSource({
  ...source(4, "shop", []),
  kind: "uptime",
  check: { ...check, expectedStatus: 200, failuresBeforeFiring: 3 }
})

export const alert = new Alert({
  id: freshId<AlertId>(),
  source: tool.id,
  service: checkout.id,
  fingerprint: "cpu",
  status: "firing",
  severity: "high",
  title: "cpu is wrong",
  environment: null,
  description: null,
  labels: {},
  links: [],
  startedAt: null,
  endedAt: null,
  firedAt: null,
  recoveredAt: null,
  firstSeenAt: at(0),
  lastSeenAt: at(0),
  count: 1,
  reason: "opened",
  explanation: "It opened inc-aaaa.",
  incident: incident().key
})

/** A workspace with one incident, which its only alert keeps open. */
export const onCall = (more: Partial<OnCallContext> = {}): OnCallContext => ({
  now: Sample.now,
  teams: [payments],
  members: people("Ann"),
  services: [checkout],
  sources: [tool, quiet, gone, shop],
  places: [place("ops")],
  incidents: [{ incident: incident(), firing: 1 }],
  firing: [alert],
  freshJobs: [Sample.fresh.job],
  ...more
})

/** States of the incidents and alerts that a change writes, and the kinds of its jobs. */
export const written = ({
  added,
  changed
}: {
  readonly added?: { readonly jobs?: ReadonlyArray<{ readonly kind: string }> }
  readonly changed?: {
    readonly incidents?: ReadonlyArray<{ readonly status: string }>
    readonly alerts?: ReadonlyArray<{ readonly status: string }>
  }
}) => ({
  incidents: changed?.incidents?.map(({ status }) => status),
  alerts: changed?.alerts?.map(({ status }) => status),
  jobs: added?.jobs?.map(({ kind }) => kind)
})

export const allEnded = { incidents: ["resolved"], alerts: ["resolved"], jobs: ["follow_incident"] }
