import { Effect, Either, Option, Redacted, Schema } from "effect"
import * as Sources from "../../../../application/oncall/Sources.ts"
import * as TestSource from "../../../../application/oncall/TestSource.ts"
import * as TriageWorker from "../../../../application/jobs/TriageWorker.ts"
import * as Listing from "../../../../application/workspace/Listing.ts"
import { AlertTools } from "../../../../application/ports/AlertTools.ts"
import { CheckStore } from "../../../../application/ports/CheckStore.ts"
import * as Json from "../../../../application/ports/Json.ts"
import { OnCallStore } from "../../../../application/ports/OnCallStore.ts"
import { SignalStore } from "../../../../application/ports/SignalStore.ts"
import { AlertView } from "../../../../domain/oncall/Alert.ts"
import { DeliveryId, DeliveryView } from "../../../../domain/oncall/Delivery.ts"
import { RefusedDelivery } from "../../../../domain/oncall/RefusedDelivery.ts"
import { isPosting } from "../../../../domain/oncall/SignalSource.ts"
import { atLeast } from "../../../../domain/workspace/Member.ts"
import { postTest } from "../../../PostSignal.ts"
import { type Filled, unfilled } from "../components/Form.tsx"
import type { Done } from "../Flash.ts"
import { unversioned, versionIn } from "../Forms.ts"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import * as Found from "./Found.ts"
import * as SourceForm from "./SourceForm.ts"
import { DeletePage } from "./ServiceList.tsx"
import { RotatePage, SourceList } from "./SourceList.tsx"
import { pathOf, type Shown, SourcePage } from "./SourceView.tsx"

const deliveriesOf = Json.decoder(Schema.Array(DeliveryView))
const refusalsOf = Json.decoder(Schema.Array(RefusedDelivery))
const alertsOf = Json.decoder(Schema.Array(AlertView))

const [rowsPerPage, mostRefusals] = [25, 5]
const unseen = "•".repeat(12)

export const isAdmin = ({ person }: Visit) => atLeast(person.member.role, "admin")

const list = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, person } = visit
    const store = yield* OnCallStore
    const signals = yield* SignalStore
    const [at, refusals, lasts] = yield* Effect.all(
      [store.look(person.workspace), store.refusals(person.workspace), signals.lastOfSources(person.workspace)],
      { concurrency: "unbounded" }
    )
    const view: View = {
      title: "Sources",
      section: "sources",
      body: <SourceList base={base} at={at} isAdmin={isAdmin(visit)} lasts={lasts} refusals={refusals} />
    }
    return view
  })

/** A source with what it sent; `more` holds what a form changed. */
export const shown = Effect.fnUntraced(function* (
  visit: Visit,
  more: Partial<Pick<Shown, "secret" | "filled" | "refusal" | "typed">> = {},
  status = 200
) {
  const { base, person, query } = visit
  const { workspace } = person
  const { at, one: source } = yield* Found.source(visit)
  const [store, signals, checks, tools] = yield* Effect.all([OnCallStore, SignalStore, CheckStore, AlertTools])
  const first = { before: null }
  const listing = { workspace, list: "pages of deliveries", filters: { source: source.id } }
  const [{ items, nextCursor }, refused, refusals, volume, alerts, healths] = yield* Effect.all(
    [
      Listing.page(listing, { limit: rowsPerPage, cursor: query.get("cursor") }, (request) =>
        signals.ledger(workspace, source.id, request)
      ),
      signals.refusedLedger(workspace, source.id, { ...first, limit: mostRefusals }),
      store.refusals(workspace),
      signals.volume(workspace, source.id),
      store.alertPage(workspace, { incident: null, source: source.name, status: null }, { ...first, limit: 100 }),
      source.kind === "uptime" ? checks.healths(workspace) : Effect.succeed(new Map())
    ],
    { concurrency: "unbounded" }
  )
  const address = `${visit.signals}/${source.token}`
  const { secret = null } = more
  const value = secret === null ? unseen : Redacted.value(secret)
  const setup = isPosting(source.kind) ? tools[source.kind].setup({ url: address, secret: value }) : []
  const path = pathOf(base, source)
  const own = query.toString()
  const view: View = {
    title: source.name,
    section: "sources",
    status,
    body: (
      <SourcePage
        base={base}
        source={source}
        at={at}
        isAdmin={isAdmin(visit)}
        setup={setup}
        address={address}
        secret={secret}
        isTheirs={!SourceForm.isOurs(value, setup)}
        ledger={{
          deliveries: deliveriesOf(items),
          alerts: alertsOf(alerts.items),
          older: nextCursor === null ? null : `${path}?cursor=${encodeURIComponent(nextCursor)}`
        }}
        here={own === "" ? path : `${path}?${own}`}
        refused={refusalsOf(refused.items)}
        refusals={refusals.get(source.id)}
        volume={volume}
        health={healths.get(source.id)}
        filled={unfilled}
        typed={SourceForm.present(source, at)}
        refusal={null}
        {...more}
      />
    )
  }
  return view
})

/** Does something to the source of the path, then shows it. */
const then = <A, E, R>(visit: Visit, act: (name: string) => Effect.Effect<A, E, R>, done: Done, part = "") =>
  Effect.flatMap(Found.source(visit), ({ one }) =>
    Effect.as(act(one.name), redirect(`${pathOf(visit.base, one)}${part}`, done))
  )

const notDone = (visit: Visit) => (error: { readonly message: string }) => shown(visit, { refusal: error.message }, 409)

const pause = (visit: Visit) =>
  then(visit, (name) => Sources.pause(visit.person, name), "source-paused").pipe(
    Effect.catchTag("SourceAlreadySo", notDone(visit))
  )

const resume = (visit: Visit) =>
  then(visit, (name) => Sources.resume(visit.person, name), "source-resumed").pipe(
    Effect.catchTag("SourceAlreadySo", notDone(visit))
  )

/** Posts the tool's own test with its proof to the address that tools use. */
const test = (visit: Visit) =>
  Effect.gen(function* () {
    const { one } = yield* Found.source(visit)
    const { posts } = yield* TestSource.prepare(visit.person, one.name)
    const address = `${visit.signals}/${one.token}`
    for (const { body, headers, path } of posts)
      yield* postTest(`${visit.intake}/${Redacted.value(path)}`, address, { body, headers })
    return redirect(`${pathOf(visit.base, one)}#ledger`, "test-sent")
  }).pipe(
    Effect.catchTags({
      SourceCannotBeTested: notDone(visit),
      SourceTakesNoPosts: notDone(visit),
      TestNotAccepted: notDone(visit)
    })
  )

const decodeId = Schema.decodeUnknownOption(Schema.compose(Schema.Lowercase, DeliveryId))

const replay = (visit: Visit) => {
  const delivery = visit.form.get("delivery")
  return then(
    visit,
    () =>
      TriageWorker.replay(
        visit.person,
        Option.getOrElse(decodeId(delivery), () => "00000000-0000-4000-8000-000000000000" as DeliveryId)
      ),
    "delivery-replayed",
    "#ledger"
  ).pipe(
    Effect.catchTag("DeliveryNotFound", () =>
      shown(
        visit,
        {
          refusal: Option.isNone(decodeId(delivery))
            ? "There is no such delivery."
            : "There is no such delivery, its body is not kept any more, or it waits already. Choose one of the list."
        },
        409
      )
    )
  )
}

const rotate = (visit: Visit) =>
  Effect.gen(function* () {
    const { one } = yield* Found.source(visit)
    const { secret } = yield* Sources.rotate(visit.person, one.name)
    return yield* shown(visit, { secret })
  }).pipe(Effect.catchTag("SourceTakesNoPosts", notDone(visit)))

const confirmRotation = (visit: Visit) =>
  Effect.map(Found.source(visit), ({ one }): View => ({
    title: `Rotate the secret of ${one.name}?`,
    section: "sources",
    body: <RotatePage base={visit.base} isAdmin={isAdmin(visit)} source={one} />
  }))

const setSecret = (visit: Visit) =>
  Effect.gen(function* () {
    const { one } = yield* Found.source(visit)
    const secret = visit.form.get("secret").trim()
    if (secret === "" || secret.length > 1000) {
      yield* SourceForm.permitted(visit.person, "source secret", one.name)
      const errors = { secret: "Paste the secret that the tool shows, of at most 1,000 characters." }
      return yield* shown(visit, { filled: { values: {}, errors } }, 400)
    }
    yield* Sources.setSecret(visit.person, one.name, Redacted.make(secret))
    return redirect(pathOf(visit.base, one), "secret-kept")
  }).pipe(Effect.catchTag("SourceTakesNoPosts", notDone(visit)))

const save = (visit: Visit) =>
  Effect.gen(function* () {
    const { one } = yield* Found.source(visit)
    const changes = SourceForm.read(visit.form, one)
    const typed = SourceForm.typedIn(visit.form)
    const version = versionIn(visit.form)
    if (Either.isLeft(changes) || version === null) {
      yield* SourceForm.permitted(visit.person, "source set", one.name)
      return yield* shown(visit, { typed, refusal: Either.isLeft(changes) ? changes.left : unversioned }, 400)
    }
    const refused = (refusal: string, status = 409) => shown(visit, { typed, refusal }, status)
    return yield* Sources.set(visit.person, one.name, changes.right, version).pipe(
      Effect.as(redirect(`${pathOf(visit.base, one)}#settings`, "source-saved")),
      Effect.catchTags({
        InvalidCheck: ({ problem }) => {
          const errors = SourceForm.checkErrors(problem)
          return shown(visit, { typed, filled: { values: {}, errors }, refusal: "Nothing was saved." }, 400)
        },
        ServiceUnknown: ({ service }) => refused(`There is no service ${service}. Nothing was saved.`),
        TooManyWords: ({ count, most }) =>
          refused(`${count} words are too many; ${most} are allowed. Set one to “Not known” to remove it.`),
        // The form keeps what was typed, and goes on from the source as it is now.
        ChangedMeanwhile: () =>
          Effect.flatMap(Found.source(visit), ({ at, one: now }) => {
            const is = SourceForm.present(now, at)
            const facts = [
              `services: ${is.services.join(", ") || "none"}`,
              ...is.words.map(([word, severity]) => `${word} is ${severity}`),
              ...(isPosting(now.kind) ? [`signed time: ${is.isTimestampRequired ? "required" : "not required"}`] : []),
              ...Object.entries(is.check).map(([name, value]) => `${name}: ${value}`)
            ].join("; ")
            const refusal = `${now.name} has changed since you opened this form. Nothing is saved yet. Its settings are now: ${facts}. What you typed is in the form below: take over what you want to keep, then save it.`
            return shown(visit, { typed: { ...typed, updatedAt: is.updatedAt }, refusal }, 409)
          })
      })
    )
  })

const deletion = (visit: Visit, filled: Filled = unfilled, status = 200) =>
  Effect.map(Found.source(visit), ({ one }): View => {
    const path = pathOf(visit.base, one)
    return {
      title: `Delete ${one.name}?`,
      section: "sources",
      status,
      body: (
        <DeletePage
          what="source"
          name={one.name}
          path={path}
          way={[
            ["Sources", `${visit.base}/sources`],
            [one.name, path]
          ]}
          effects="Its address is gone, its alerts are over, and incidents that hold no others are resolved, all at once. What it sent and the audit entries stay."
          isAdmin={isAdmin(visit)}
          filled={filled}
        />
      )
    }
  })

const remove = (visit: Visit) =>
  Effect.flatMap(Found.source(visit), ({ one }) => {
    const confirm = visit.form.get("confirm").trim()
    const errors = { confirm: `Type ${one.name} exactly. Nothing was deleted.` }
    return Sources.remove(visit.person, one.name, confirm).pipe(
      Effect.as(redirect(`${visit.base}/sources`, "source-deleted")),
      Effect.catchTag("NotConfirmed", () => deletion(visit, { values: { confirm }, errors }, 400))
    )
  })

type Of<E> = E extends Effect.Effect<unknown, unknown, infer R> ? R : never
type Needs = Of<
  | ReturnType<typeof shown>
  | ReturnType<typeof test>
  | ReturnType<typeof list>
  | ReturnType<typeof rotate>
  | ReturnType<typeof replay>
>

export const pages: ReadonlyArray<Page<Needs>> = [
  { path: "sources", get: list },
  { path: "sources/:id", get: (visit) => shown(visit), post: save },
  { path: "sources/:id/test", post: test },
  { path: "sources/:id/pause", post: pause },
  { path: "sources/:id/resume", post: resume },
  { path: "sources/:id/replay", post: replay },
  { path: "sources/:id/secret", post: setSecret },
  { path: "sources/:id/rotate", get: confirmRotation, post: rotate },
  { path: "sources/:id/delete", get: (visit) => deletion(visit), post: remove }
]
