import { Effect, Either, Option, Schema } from "effect"
import * as Sources from "../../../../application/oncall/Sources.ts"
import { SourceKind } from "../../../../domain/oncall/SignalSource.ts"
import { bounds } from "../../../../domain/oncall/UptimeCheck.ts"
import { cut, Name } from "../../../../domain/value/Text.ts"
import type { Filled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import * as Found from "./Found.ts"
import * as SourceForm from "./SourceForm.ts"
import { NewSource } from "./SourceList.tsx"
import { isAdmin, shown } from "./SourcePages.tsx"

const decodeKind = Schema.decodeUnknownOption(SourceKind)

const usual = Object.fromEntries(Object.entries(bounds).map(([name, { usual: value }]) => [name, String(value)]))

const page = (
  visit: Visit,
  kind: SourceKind | null,
  chosen: ReadonlyArray<string>,
  filled: Filled = { values: usual, errors: {} },
  status = 200
) =>
  Effect.map(Found.look(visit), (at): View => ({
    title: "Add a source",
    section: "sources",
    status,
    body: <NewSource base={visit.base} at={at} isAdmin={isAdmin(visit)} kind={kind} chosen={chosen} filled={filled} />
  }))

/** Adds the source, and shows its set-up with the secret once. */
const create = (visit: Visit) =>
  Effect.gen(function* () {
    const { form, person } = visit
    const kind = Option.getOrNull(decodeKind(form.get("kind")))
    const values = {
      ...usual,
      ...Object.fromEntries(["name", "url", ...Object.keys(bounds)].map((name) => [name, form.get(name).trim()]))
    }
    const services = form.all("services")
    const refused = (errors: Filled["errors"], status = 400) => page(visit, kind, services, { values, errors }, status)
    const name = Schema.decodeUnknownEither(Name(200))(form.get("name").trim())
    if (kind === null || Either.isLeft(name)) {
      yield* SourceForm.permitted(person, "source create", form.get("name").slice(0, 200))
      if (kind === null) return yield* refused({ kind: "Choose one of the tools first." })
      return yield* refused({ name: "Enter a name of at most 200 characters on one line, such as “grafana-prod”." })
    }
    const check = kind === "uptime" ? SourceForm.checkOf(form) : null
    const input = { name: name.right, kind, services, secret: null, isTimestampRequired: false, check }
    return yield* Sources.create(person, input).pipe(
      Effect.flatMap(({ secret, source }) =>
        Effect.map(
          shown(
            { ...visit, parameters: { id: source.id }, query: new URLSearchParams() },
            kind === "uptime" ? {} : { secret }
          ),
          (view): View => ({
            ...view,
            sentAgain: {
              to: `${visit.base}/sources/${source.id}`,
              done: kind === "uptime" ? "source-saved" : "source-added"
            }
          })
        )
      ),
      Effect.catchTags({
        SourceNameTaken: () => refused({ name: "Choose another name: a source has or had this one." }, 409),
        InvalidCheck: ({ problem }) => refused(SourceForm.checkErrors(problem)),
        ServiceUnknown: ({ service }) => refused({ services: `There is no service ${cut(service, 200)}.` }, 409)
      })
    )
  })

const form = (visit: Visit) => {
  const service = visit.query.get("service")
  return page(visit, Option.getOrNull(decodeKind(visit.query.get("kind"))), service === null ? [] : [service])
}

type Of<E> = E extends Effect.Effect<unknown, unknown, infer R> ? R : never

export const pages: ReadonlyArray<Page<Of<ReturnType<typeof create>>>> = [
  { path: "sources/new", get: form, post: create }
]
