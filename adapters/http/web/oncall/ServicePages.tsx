import { Effect, Either, Schema } from "effect"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import type { OnCallStore } from "../../../../application/ports/OnCallStore.ts"
import * as Services from "../../../../application/oncall/Services.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import * as DeniedTarget from "../../../../application/workspace/DeniedTarget.ts"
import { Name } from "../../../../domain/value/Text.ts"
import { atLeast } from "../../../../domain/workspace/Member.ts"
import { TeamSlug } from "../../../../domain/workspace/Team.ts"
import { type Filled, unfilled } from "../components/Form.tsx"
import * as Forms from "../Forms.ts"
import type { Page, View, Visit } from "../Page.ts"
import { fragment, redirect } from "../Render.tsx"
import * as Found from "./Found.ts"
import * as ServiceForm from "./ServiceForm.ts"
import { DeletePage, ServiceList } from "./ServiceList.tsx"
import { pathOf, ServicePage, type Shown } from "./ServiceView.tsx"
import { NoWeek, WeekGrid } from "./WeekGrid.tsx"

const isAdmin = ({ person }: Visit) => atLeast(person.member.role, "admin")

const list = (visit: Visit, filled: Filled = unfilled, status = 200) =>
  Effect.map(Found.look(visit), (at): View => ({
    title: "Services",
    section: "services",
    status,
    body: <ServiceList base={visit.base} at={at} isAdmin={isAdmin(visit)} filled={filled} />
  }))

const NewService = Schema.Struct({ name: Name(200), team: TeamSlug })

const create = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, form, person } = visit
    const values = { name: form.get("name").trim(), team: form.get("team") }
    const refused = (errors: Filled["errors"], status = 400) => list(visit, { values, errors }, status)
    const asked = Schema.decodeUnknownEither(NewService)(values)
    if (Either.isLeft(asked)) {
      yield* permit(person, "service create", Effect.succeed(DeniedTarget.named("service", values.name)))
      return yield* refused({
        ...(Either.isLeft(Schema.decodeUnknownEither(Name(200))(values.name)) && {
          name: "Enter a name of at most 200 characters on one line, such as “checkout”."
        }),
        ...(Either.isLeft(Schema.decodeUnknownEither(TeamSlug)(values.team)) && { team: "Choose one of the teams." })
      })
    }
    return yield* Services.create(person, asked.right).pipe(
      Effect.map((service) => redirect(pathOf(base, service), "service-added")),
      Effect.catchTags({
        ServiceNameTaken: () => refused({ name: "Choose another name: a service has or had this one." }, 409),
        TeamNotFound: ({ team }) => refused({ team: `There is no team ${team}. Choose one of the teams.` })
      })
    )
  })

const shown = (
  visit: Visit,
  more: Partial<Pick<Shown, "form" | "errors" | "refusal" | "isStale">> = {},
  status = 200
) =>
  Effect.map(Found.service(visit), ({ at, one }): View => {
    const present = ServiceForm.formOf(one, visit.reader.zone.id)
    const { form = present, isStale = false } = more
    const given = { errors: {}, refusal: null, ...more, isStale }
    // A form that is out of date goes on from the present version.
    const typed = isStale ? { ...form, updatedAt: present.updatedAt } : form
    return {
      title: one.name,
      section: "services",
      status,
      body: <ServicePage base={visit.base} service={one} at={at} isAdmin={isAdmin(visit)} {...given} form={typed} />
    }
  })

/** The week of hours that are not saved yet. */
const drawn = (visit: Visit) =>
  Effect.map(Found.service(visit), () =>
    fragment(
      visit.reader,
      Either.match(ServiceForm.hoursOf(ServiceForm.read(Forms.formOf(visit.query))), {
        onLeft: (errors) => <NoWeek problem={Object.values(errors)[0] ?? ""} />,
        onRight: (hours) => <WeekGrid hours={hours} />
      })
    )
  )

const save = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, person } = visit
    const { at, one } = yield* Found.service(visit)
    const form = ServiceForm.read(visit.form)
    const hours = ServiceForm.hoursOf(form)
    const version = Forms.versionIn(visit.form)
    const wrong = ServiceForm.wrongChoices(form, one, at)
    if (Either.isLeft(hours) || version === null || Object.keys(wrong).length > 0) {
      yield* permit(person, "service set", DeniedTarget.ofService(person, one.name))
      const errors = { ...wrong, ...(Either.isLeft(hours) && hours.left) }
      return yield* shown(visit, { form, errors, ...(version === null && { refusal: Forms.unversioned }) }, 400)
    }
    return yield* Services.set(person, one.name, ServiceForm.settingsOf(form, hours.right), version).pipe(
      Effect.as(redirect(pathOf(base, one), "service-saved")),
      Effect.catchTags({
        InvalidSettings: ({ message }) => shown(visit, { form, refusal: message }, 400),
        ChangedMeanwhile: () => shown(visit, { form, isStale: true }, 409)
      })
    )
  })

const deletion = (visit: Visit, filled: Filled = unfilled, status = 200) =>
  Effect.map(Found.service(visit), ({ one }): View => {
    const { base } = visit
    const path = pathOf(base, one)
    return {
      title: `Delete ${one.name}?`,
      section: "services",
      status,
      body: (
        <DeletePage
          what="service"
          name={one.name}
          path={path}
          way={[
            ["Services", `${base}/services`],
            [one.name, path]
          ]}
          effects="Its open incidents are resolved and its alerts are over, at once. Later alerts about it are recorded and open nothing. Rows and audit entries stay, and the name cannot be used again."
          isAdmin={isAdmin(visit)}
          filled={filled}
        />
      )
    }
  })

const remove = (visit: Visit) =>
  Effect.flatMap(Found.service(visit), ({ one }) => {
    const confirm = visit.form.get("confirm").trim()
    return Services.remove(visit.person, one.name, confirm).pipe(
      Effect.as(redirect(`${visit.base}/services`, "service-deleted")),
      Effect.catchTag("NotConfirmed", () =>
        deletion(
          visit,
          { values: { confirm }, errors: { confirm: `Type ${one.name} exactly. Nothing was deleted.` } },
          400
        )
      )
    )
  })

export const pages: ReadonlyArray<Page<AuditLog | OnCallStore>> = [
  { path: "services", get: (visit) => list(visit), post: create },
  { path: "services/:id", get: (visit) => shown(visit), post: save },
  { path: "services/:id/hours", get: drawn },
  { path: "services/:id/delete", get: (visit) => deletion(visit), post: remove }
]
