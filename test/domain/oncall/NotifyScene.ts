import { DateTime } from "effect"
import type { Rows } from "../../../domain/Change.ts"
import { follow, type FollowContext, followUp } from "../../../domain/oncall/NotifyPlan.ts"
import { Incident } from "../../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import type { JobId } from "../../../domain/work/Job.ts"
import type { Email, MemberId } from "../../../domain/workspace/Member.ts"
import type { NoticeEvent } from "../../../domain/oncall/Notice.ts"
import { Place } from "../../../domain/oncall/Place.ts"
import { SignalSource } from "../../../domain/oncall/SignalSource.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import { at, service, source } from "./TriageScene.ts"

export const uuid = (kind: number, number: number) =>
  `0000000${kind}-0000-4000-9000-${number.toString(16).padStart(12, "0")}` as string

export const now = at(60)
export const ago = (minutes: number) => DateTime.subtract(now, { millis: minutes * 60_000 })

export const people = (...names: ReadonlyArray<string>) =>
  names.map((name, index) => ({
    id: uuid(1, index + 1) as MemberId,
    email: `${name.toLowerCase()}@acme.test` as Email,
    name
  }))
export const members = people("Ann", "Bob", "Cid")

export const place = (name: string, team = "payments") =>
  new Place({
    team: team as TeamSlug,
    name,
    kind: "webhook",
    address: "sealed",
    createdAt: at(0),
    removedAt: null
  })

export const settings = { notify: ["Ann@acme.test", "BOB@ACME.TEST"], places: null, acknowledgeInSource: true }
export const checkout = service(1, "checkout", settings)

/** A source that can be updated, since it has credentials. */
export const pager = new SignalSource({ ...source(1, "pager", [checkout]), credentials: "sealed" })

export const incident = (more: Partial<Incident> = {}) =>
  new Incident({
    key: "inc-aaaa" as IncidentKey,
    team: "payments" as TeamSlug,
    service: checkout.id,
    environment: null,
    status: "open",
    severity: "high",
    title: "cpu is wrong",
    alerts: 1,
    openedAt: at(0),
    resolvedAt: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    ...more
  })

type Given = Partial<Omit<FollowContext, "standing">> & { readonly incident?: Incident }

export const followed = (
  event: NoticeEvent,
  { incident: about = incident(), ...more }: Given = {},
  isLater = false
): FollowContext => ({
  now,
  job: followUp(uuid(2, 1) as JobId, about, event, ago(1), { isLater }),
  workspace: "acme",
  standing: { incident: about, firing: about.status === "open" ? 1 : 0 },
  service: checkout,
  members,
  places: [place("ops"), place("chat")],
  sources: [pager],
  alerts: [],
  decision: null,
  freshIds: Array.from({ length: 20 }, (_, index) => uuid(3, index)),
  ...more
})

export const linkTo = (workspace: string, { key }: Incident) => `https://acme.test/${workspace}/${key}`

export const planned = (event: NoticeEvent, given: Given = {}, isLater = false) =>
  follow(followed(event, given, isLater), { event, isLater }, linkTo)

export const jobs = ({ added }: { readonly added: Rows }) => added.jobs ?? []
