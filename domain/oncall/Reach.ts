import type { Member } from "../workspace/Member.ts"
import type { Place } from "./Place.ts"
import { type Service, updatesSources } from "./Service.ts"

/** Members and places a service may notify; `isMailSet` when mails can be sent. */
export interface Channels {
  readonly members: ReadonlyArray<Pick<Member, "email">>
  readonly places: ReadonlyArray<Pick<Place, "team" | "name">>
  readonly isMailSet: boolean
}

export const chosenMembers = <A extends Pick<Member, "email">>(
  { settings }: Service,
  members: ReadonlyArray<A>
): ReadonlyArray<A> => {
  const chosen = new Set(settings.notify.map((email) => email.toLowerCase()))
  return members.filter(({ email }) => chosen.has(email.toLowerCase()))
}

export const chosenPlaces = <A extends Pick<Place, "team" | "name">>(
  { settings, team }: Service,
  places: ReadonlyArray<A>
): ReadonlyArray<A> =>
  places.filter((place) => place.team === team && (settings.places === null || settings.places.includes(place.name)))

/** Warns when no mail and no post can reach anybody: an inbox entry alone wakes nobody. */
export const warnings = (service: Service, { isMailSet, members, places }: Channels): ReadonlyArray<string> => {
  const isMemberNamed = chosenMembers(service, members).length > 0
  if (chosenPlaces(service, places).length > 0 || (isMemberNamed && isMailSet)) return []
  const cause = isMemberNamed ? "SMTP_URL is not set for this command" : "notify names no member"
  const wayOut = isMemberNamed ? "start the service with SMTP_URL" : "name members in notify"
  return [
    `Nobody is woken by incidents of ${service.name}: ${cause} and no place is chosen. To have somebody woken, ${wayOut} or add a place with 'gatehouse team place add'.`,
    ...(updatesSources(service)
      ? [
          "acknowledgeInSource acknowledges nothing until a mail is sent or a post is made: alerts keep ringing in their source."
        ]
      : [])
  ]
}
