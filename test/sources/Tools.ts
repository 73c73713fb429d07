import { Redacted, Schedule } from "effect"
import { opsgenie } from "../../adapters/alerting/opsgenie/OpsgenieApi.ts"
import { pagerduty } from "../../adapters/alerting/pagerduty/PagerDutyApi.ts"
import type { Outgoing } from "../../application/ports/Outgoing.ts"
import type { SourceApi, SourceUpdate } from "../../application/ports/SourceApis.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import { fakeOpsgenie } from "./FakeOpsgenie.ts"
import { fakePagerDuty } from "./FakePagerDuty.ts"

export const key = "k3y-0f-the-t00l"
export const from = "oncall@acme.test"
const incident = "inc-hkc5" as string as IncidentKey

export const update = (
  to: SourceUpdate["to"],
  credentials: object | string,
  fingerprint = "Q2ZK7M9XWB41DE",
  links: SourceUpdate["alert"]["links"] = []
): SourceUpdate => ({
  alert: { fingerprint, links },
  to,
  incident,
  credentials: Redacted.make(typeof credentials === "string" ? credentials : JSON.stringify(credentials))
})

/** The usual number of retries, without the waits. */
export const atOnce = Schedule.recurs(6)

export type State = "open" | "acknowledged" | "resolved"

/** A tool as the contract sees it. */
interface Tool {
  readonly name: string
  readonly api: (outgoing: typeof Outgoing.Service) => SourceApi
  readonly credentials: (api: string) => object
  readonly fake: ReturnType<typeof fakeOpsgenie> | ReturnType<typeof fakePagerDuty>
  readonly put: (id: string, state: State) => void
  readonly stateOf: (id: string) => State | undefined
  /** True when it shows an alert to a key that may change it. */
  readonly canLook: boolean
}

const pagerDuty = (): Tool => {
  const fake = fakePagerDuty({ key, from })
  return {
    name: "PagerDuty",
    api: pagerduty,
    credentials: (api) => ({ key, from, api }),
    fake,
    put: (id, state) => fake.incidents.set(id, state === "open" ? "triggered" : state),
    stateOf: (id) => {
      const status = fake.incidents.get(id)
      return status === "triggered" ? "open" : status
    },
    canLook: true
  }
}

const opsgenieAs = (name: string, product: object): Tool => {
  const fake = fakeOpsgenie({ key })
  return {
    name,
    api: (outgoing) => opsgenie(outgoing, atOnce),
    credentials: (api) => ({ key, api, ...product }),
    fake,
    put: (id, state) =>
      fake.alerts.set(id, {
        status: state === "resolved" ? "closed" : "open",
        acknowledged: state === "acknowledged"
      }),
    stateOf: (id) => {
      const alert = fake.alerts.get(id)
      return alert?.status === "closed" ? "resolved" : alert?.acknowledged === true ? "acknowledged" : alert?.status
    },
    canLook: !("product" in product)
  }
}

export const tools = () => [
  pagerDuty(),
  opsgenieAs("Opsgenie", { region: "us" }),
  opsgenieAs("Jira Service Management", { product: "jsm" })
]
