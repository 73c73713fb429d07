import { Effect, Either, Schema } from "effect"
import type { By } from "../../domain/workspace/Actor.ts"
import * as Audit from "../../domain/workspace/Audit.ts"
import { built } from "../../domain/value/Validated.ts"
import { answered, type Change, type Decided } from "../../domain/Change.ts"
import { difference } from "../../domain/value/FieldChanges.ts"
import { ended, followed } from "../../domain/oncall/EndAlerts.ts"
import { byEmail } from "../../domain/workspace/Member.ts"
import { OnCallSettings, Service, type ServiceId } from "../../domain/oncall/Service.ts"
import { TeamNotFound, type TeamSlug } from "../../domain/workspace/Team.ts"
import * as Uuid from "../../domain/value/Uuid.ts"
import { NotConfirmed } from "../../domain/workspace/Workspace.ts"
import { byOf, permit, type Person } from "../workspace/Authorization.ts"
import { incidentFact } from "../../domain/oncall/IncidentFact.ts"
import { type OnCall, OnCallStore } from "../ports/OnCallStore.ts"
import * as DeniedTarget from "../workspace/DeniedTarget.ts"

export class ServiceUnknown extends Schema.TaggedError<ServiceUnknown>()("ServiceUnknown", { service: Schema.String }) {
  override get message() {
    return `There is no service '${this.service}' in this workspace; 'gatehouse service list' shows them.`
  }
}

export class ServiceNameTaken extends Schema.TaggedError<ServiceNameTaken>()("ServiceNameTaken", {
  service: Schema.String
}) {
  override get message() {
    return `A service '${this.service}' exists in this workspace, or was deleted. Choose another name.`
  }
}

export class InvalidSettings extends Schema.TaggedError<InvalidSettings>()("InvalidSettings", {
  problem: Schema.String
}) {
  override get message() {
    return `${this.problem}. The settings are unchanged.`
  }
}

export const serviceNamed = (services: OnCall["services"], name: string): Either.Either<Service, ServiceUnknown> => {
  const found = services.find(
    (service) => service.deletedAt === null && service.name.toLowerCase() === name.toLowerCase()
  )
  return found === undefined ? Either.left(new ServiceUnknown({ service: name })) : Either.right(found)
}

const encodeSettings = Schema.encodeSync(OnCallSettings)
const auditedFields = ({ name, settings, team }: Service) => ({ name, team, ...encodeSettings(settings) })

const changed = (by: By, before: Service | null, after: Service, what?: string): Change => {
  const rows = { services: [after] }
  const details = {
    ...difference(before && auditedFields(before), auditedFields(after)),
    ...(what !== undefined && { what })
  }
  const entity = { type: "service", id: after.id, name: after.name } as const
  return {
    ...(before === null ? { added: rows } : { changed: rows }),
    audit: [Audit.fact(by, "service_changed", entity, { team: after.team, details })]
  }
}

export const create = Effect.fn("Services.create")(function* (
  person: Person,
  input: { readonly team: TeamSlug; readonly name: string }
) {
  yield* permit(
    person,
    "service create",
    Effect.succeed({ ...DeniedTarget.named("service", input.name), team: input.team })
  )
  const store = yield* OnCallStore
  const id = (yield* Uuid.make) as ServiceId
  return yield* store.change(
    person.workspace,
    {},
    ({ now, services, teams }): Either.Either<Decided<Service>, TeamNotFound | ServiceNameTaken> => {
      if (!teams.includes(input.team)) return Either.left(new TeamNotFound({ team: input.team }))
      if (services.some(({ name }) => name.toLowerCase() === input.name.toLowerCase()))
        return Either.left(new ServiceNameTaken({ service: input.name }))
      const settings = Schema.decodeSync(OnCallSettings)({})
      const service = new Service({ id, ...input, settings, createdAt: now, updatedAt: null, deletedAt: null })
      return answered(changed(byOf(person), null, service), service)
    }
  )
})

/** Checks that newly named members and places exist; members named before may have left since. */
const checked = (
  settings: typeof OnCallSettings.Type,
  { settings: before, team }: Service,
  { members, places }: OnCall
): Either.Either<typeof OnCallSettings.Type, InvalidSettings> => {
  const stranger = settings.notify.find((email) => !before.notify.includes(email) && !byEmail(members, email))
  if (stranger !== undefined)
    return Either.left(
      new InvalidSettings({
        problem: `notify: '${stranger}' is no member of this workspace; 'gatehouse member list' shows them`
      })
    )
  const nowhere = settings.places?.find(
    (name) => !before.places?.includes(name) && !places.some((place) => place.team === team && place.name === name)
  )
  if (nowhere !== undefined)
    return Either.left(
      new InvalidSettings({
        problem: `places: the team '${team}' has no place '${nowhere}'; 'gatehouse team place add' adds one`
      })
    )
  return Either.right(settings)
}

const known = Object.keys(OnCallSettings.fields)

/** Changes single settings; the others stay. */
export const set = Effect.fn("Services.set")(function* (
  person: Person,
  name: string,
  settings: Readonly<Record<string, unknown>>
) {
  yield* permit(person, "service set", DeniedTarget.ofService(person, name))
  const store = yield* OnCallStore
  const unknown = Object.keys(settings).find((key) => !known.includes(key))
  if (unknown !== undefined)
    return yield* new InvalidSettings({ problem: `'${unknown}' is no setting; the settings are ${known.join(", ")}` })
  return yield* store.change(person.workspace, { service: name }, (at) =>
    Either.gen(function* () {
      const before = yield* serviceNamed(at.services, name)
      const wanted = yield* built(
        () => Schema.decodeUnknownSync(OnCallSettings)({ ...encodeSettings(before.settings), ...settings }),
        (field, problem) => new InvalidSettings({ problem: field === "" ? problem : `${field}: ${problem}` })
      )
      const after = new Service({ ...before, settings: yield* checked(wanted, before, at), updatedAt: at.now })
      return yield* answered(changed(byOf(person), before, after), after)
    })
  )
})

/** Deletes a service and ends its alerts and incidents; later signals of its sources are recorded without a service. */
export const remove = Effect.fn("Services.remove")(function* (person: Person, name: string, confirm: string) {
  yield* permit(person, "service delete", DeniedTarget.ofService(person, name))
  const store = yield* OnCallStore
  return yield* store.change(person.workspace, { service: name }, (at) =>
    Either.flatMap(serviceNamed(at.services, name), (before) => {
      if (confirm.toLowerCase() !== before.name.toLowerCase())
        return Either.left(new NotConfirmed({ given: confirm, expected: before.name }))
      const by = byOf(person)
      const deletion = changed(by, before, new Service({ ...before, deletedAt: at.now }), "deleted")
      const over = ended(at.firing, at.incidents, at.now, `${person.member.name} deleted the service ${before.name}.`)
      const facts = over.incidents.map((incident) => incidentFact(by, "incident_resolved", incident))
      const jobs = followed(over.incidents, at.freshJobs, at.now)
      const change = { added: { jobs }, changed: { ...deletion.changed, ...over } }
      return answered({ ...change, audit: [...deletion.audit, ...facts] }, before)
    })
  )
})
