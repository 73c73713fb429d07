import { Effect, Either, Option, Redacted, Schema } from "effect"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import type { OnCallStore } from "../../../../application/ports/OnCallStore.ts"
import type { TeamStore } from "../../../../application/ports/TeamStore.ts"
import * as Places from "../../../../application/oncall/Places.ts"
import type { Sealing } from "../../../../application/secrets/Sealing.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import * as DeniedTarget from "../../../../application/workspace/DeniedTarget.ts"
import { PlaceNotFound } from "../../../../domain/oncall/Place.ts"
import { Name, WebAddress } from "../../../../domain/value/Text.ts"
import { atLeast } from "../../../../domain/workspace/Member.ts"
import { parseSlug, TeamSlug } from "../../../../domain/workspace/Team.ts"
import { type Filled, unfilled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import * as Found from "./Found.ts"
import { PlacesPage, RemovePlacePage } from "./PlaceViews.tsx"

const isAdmin = ({ person }: Visit) => atLeast(person.member.role, "admin")

const page = (visit: Visit, filled: Filled = unfilled, status = 200) =>
  Effect.map(Found.look(visit), (at): View => ({
    title: "Places",
    section: "settings",
    status,
    body: <PlacesPage base={visit.base} at={at} isAdmin={isAdmin(visit)} filled={filled} />
  }))

const NewPlace = Schema.Struct({ team: TeamSlug, name: Name(200), address: WebAddress })
const { fields } = NewPlace

const isWrong = <A, I>(schema: Schema.Schema<A, I>, value: unknown) =>
  Either.isLeft(Schema.decodeUnknownEither(schema)(value))

const add = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person } = visit
    const given = { team: form.get("team"), name: form.get("name").trim(), address: form.get("address").trim() }
    // The address is a secret: it is not sent back to the page.
    const values = { team: given.team, name: given.name }
    const asked = Schema.decodeUnknownEither(NewPlace)(given)
    if (Either.isLeft(asked)) {
      const team = Option.getOrElse(parseSlug(given.team), () => TeamSlug.make("unknown"))
      yield* permit(person, "team place add", DeniedTarget.ofTeam(person, team))
      const errors = {
        ...(isWrong(fields.team, given.team) && { team: "Choose one of the teams." }),
        ...(isWrong(fields.name, given.name) && { name: "Enter a name on one line, such as “#payments-oncall”." }),
        ...(isWrong(fields.address, given.address) && {
          address: "Enter the address of the chat tool's webhook: https://…"
        })
      }
      return yield* page(visit, { values, errors }, 400)
    }
    const { address, ...rest } = asked.right
    return yield* Places.add(person, { ...rest, address: Redacted.make(address) }).pipe(
      Effect.as(redirect(`${base}/settings/places`, "place-added")),
      Effect.catchTags({
        PlaceTaken: () =>
          page(visit, { values, errors: { name: "The team has a place of this name. Remove it first." } }, 409),
        TeamNotFound: ({ team }) =>
          page(visit, { values, errors: { team: `There is no team ${team}. Choose one of the teams.` } }, 400)
      })
    )
  })

/** The place that the path names. */
const found = (visit: Visit) =>
  Effect.flatMap(Found.look(visit), ({ places }) => {
    const { name = "", team = "" } = visit.parameters
    const place = places.find((one) => one.team === team && one.name === name)
    return place === undefined ? new PlaceNotFound({ team, place: name }) : Effect.succeed(place)
  })

const confirm = (visit: Visit) =>
  Effect.map(found(visit), (place): View => ({
    title: `Remove ${place.name}?`,
    section: "settings",
    body: <RemovePlacePage base={visit.base} isAdmin={isAdmin(visit)} place={place} />
  }))

const remove = (visit: Visit) =>
  Effect.flatMap(found(visit), ({ name, team }) =>
    Effect.as(Places.remove(visit.person, team, name), redirect(`${visit.base}/settings/places`, "place-removed"))
  )

export const pages: ReadonlyArray<Page<AuditLog | OnCallStore | Sealing | TeamStore>> = [
  { path: "settings/places", get: (visit) => page(visit), post: add },
  { path: "settings/places/:team/:name/remove", get: confirm, post: remove }
]
