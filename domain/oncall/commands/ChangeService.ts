import { type DateTime, Either, Schema } from "effect"
import { findNamed, isNamed, type OnCall, type OnCallContext, withEndedAlerts } from "./OnCallContext.ts"
import { OnCallSettings, Service } from "../Service.ts"
import { answered, type Change, type Decided } from "../../Change.ts"
import { type ChangedMeanwhile, checkVersion } from "../../value/ChangedMeanwhile.ts"
import { difference } from "../../value/FieldChanges.ts"
import { validated } from "../../value/Validated.ts"
import type { By } from "../../workspace/Actor.ts"
import * as Audit from "../../workspace/Audit.ts"
import { byEmail } from "../../workspace/Member.ts"
import { TeamNotFound } from "../../workspace/Team.ts"
import { NotConfirmed } from "../../workspace/Workspace.ts"

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

export const serviceNamed = (services: OnCall["services"], name: string): Either.Either<Service, ServiceUnknown> =>
  Either.fromNullable(findNamed(services, name), () => new ServiceUnknown({ service: name }))

const encodeSettings = Schema.encodeSync(OnCallSettings)
const auditedFields = ({ name, settings, team }: Service) => ({ name, team, ...encodeSettings(settings) })

const changed = (by: By, before: Service | null, after: Service, what?: string): Change => {
  const rows = { services: [after] }
  const details = {
    ...difference(before && auditedFields(before), auditedFields(after)),
    ...(what !== undefined && { what })
  }
  return {
    ...(before === null ? { added: rows } : { changed: rows }),
    audit: [Audit.fact(by, "service_changed", Audit.entityOf("service", after), { team: after.team, details })]
  }
}

export const create =
  (by: By, input: Pick<Service, "id" | "team" | "name">) =>
  ({ now, services, teams }: OnCall): Either.Either<Decided<Service>, TeamNotFound | ServiceNameTaken> => {
    if (!teams.includes(input.team)) return Either.left(new TeamNotFound({ team: input.team }))
    if (services.some(isNamed(input.name))) return Either.left(new ServiceNameTaken({ service: input.name }))
    const settings = Schema.decodeSync(OnCallSettings)({})
    const service = new Service({ ...input, settings, createdAt: now, updatedAt: null, deletedAt: null })
    return answered(changed(by, null, service), service)
  }

/** Checks that named members and newly named places exist; members named before may have left since. */
const checked = (
  settings: typeof OnCallSettings.Type,
  isNotifyGiven: boolean,
  { settings: before, team }: Service,
  { members, places }: OnCall
): Either.Either<typeof OnCallSettings.Type, InvalidSettings> => {
  const stranger = isNotifyGiven ? settings.notify.find((email) => !byEmail(members, email)) : undefined
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

/** Refuses a field that is no setting. */
export const checkFields = (settings: object): Either.Either<void, InvalidSettings> => {
  const unknown = Object.keys(settings).find((key) => !known.includes(key))
  return unknown === undefined
    ? Either.right(undefined)
    : Either.left(new InvalidSettings({ problem: `'${unknown}' is no setting; the settings are ${known.join(", ")}` }))
}

/** Changes single settings of the expected version; the others stay. */
export const set =
  (by: By, name: string, settings: Readonly<Record<string, unknown>>, expected: DateTime.Utc | null = null) =>
  (at: OnCall): Either.Either<Decided<Service>, ServiceUnknown | InvalidSettings | ChangedMeanwhile> =>
    Either.gen(function* () {
      const before = yield* serviceNamed(at.services, name)
      yield* checkVersion(`The service '${before.name}'`, before, expected)
      const wanted = yield* validated(
        () => Schema.decodeUnknownSync(OnCallSettings)({ ...encodeSettings(before.settings), ...settings }),
        (field, problem) => new InvalidSettings({ problem: field === "" ? problem : `${field}: ${problem}` })
      )
      const after = new Service({
        ...before,
        settings: yield* checked(wanted, "notify" in settings, before, at),
        updatedAt: at.now
      })
      return yield* answered(changed(by, before, after), after)
    })

/** Deletes a service and ends its alerts and incidents; later signals of its sources are recorded without a service. */
export const remove =
  (by: By, name: string, confirm: string) =>
  (at: OnCallContext): Either.Either<Decided<Service>, ServiceUnknown | NotConfirmed> =>
    Either.flatMap(serviceNamed(at.services, name), (before) => {
      if (confirm !== before.name) return Either.left(new NotConfirmed({ given: confirm, expected: before.name }))
      const deletion = changed(by, before, new Service({ ...before, deletedAt: at.now }), "deleted")
      const explanation = `${by.actor.name} deleted the service ${before.name}.`
      return answered(withEndedAlerts(by, at, deletion, explanation), before)
    })
