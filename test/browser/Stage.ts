import { Effect, Exit, Layer, ManagedRuntime, Option, Redacted, Scope } from "effect"
import { assert, vi } from "vitest"
import demo from "../../adapters/cli/demo.json" with { type: "json" }
import { PublicUrl } from "../../application/oncall/PublicUrl.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import { incidentsOf } from "../support/OnCall.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Demo from "../../application/work/Demo.ts"
import * as Authorization from "../../application/workspace/Authorization.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import type { IncidentView } from "../../domain/oncall/Incident.ts"
import type { Channel } from "../../domain/workspace/Actor.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { mailServer, password, readMail, user } from "../notify/MailServer.ts"
import { clientSecret, startProvider } from "../openid/House.ts"
import * as Equipment from "../support/Equipment.ts"
import { ownPort } from "../support/Port.ts"
import { eventually, workshop } from "../support/Process.ts"
import { signed } from "../support/Source.ts"
import * as TestPostgres from "../support/TestPostgres.ts"
import { ask, type Stores } from "../support/World.ts"

/** The key of Equipment, so that sources made here can be fed there. */
const secretKey = Buffer.from(new Uint8Array(32).fill(7)).toString("base64")

type Needs = Stores | Equipment.Equipment

export interface Alert {
  readonly title: string
  readonly [field: string]: unknown
}

interface Equipped {
  /** With an OpenID Connect provider. */
  readonly openId?: boolean
}

/** The service in a process of its own with the demo in a fresh database, and the mails it sends. */
export const open = async (document: unknown = demo, { openId = false }: Equipped = {}) => {
  const scope = await Effect.runPromise(Scope.make())
  const mail = await Effect.runPromise(Scope.extend(mailServer, scope))
  const database = await Effect.runPromise(TestPostgres.addressed)
  const port = await ownPort()
  const url = `http://localhost:${port}`
  const shop = workshop()
  const issuer = openId ? (await startProvider(shop, url)).issuer : ""
  const settings = {
    DATABASE_URL: database.url,
    PORT: String(port),
    PUBLIC_URL: url,
    SECRET_KEY: secretKey,
    SMTP_URL: `smtp://${user}:${password}@127.0.0.1:${mail.port}`,
    MAIL_FROM: "Gatehouse <gatehouse@demo.test>",
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: openId ? "gatehouse" : "",
    OIDC_CLIENT_SECRET: openId ? clientSecret : "",
    DATA_DIR: shop.folder(),
    LOG_LEVEL: "warn"
  }
  const service = shop.node(settings)
  const runtime = ManagedRuntime.make(
    Layer.mergeAll(Equipment.layer, Layer.succeed(PublicUrl, url)).pipe(Layer.provideMerge(database.layer))
  )
  const run = <A, E>(effect: Effect.Effect<A, E, Needs>): Promise<A> => runtime.runPromise(effect)
  await service.says(/^Gatehouse is at /m)
  await run(Demo.recreate(document))

  /** Attempts are limited by network address. */
  let sessions = 10

  const person = (email: string, slug = "demo", channel: Channel = "app") =>
    Authorization.member(slug as WorkspaceSlug, email as Email, channel)

  /** Mails to an address whose subject matches, oldest first. */
  const mailsTo = (address: string, subject: RegExp) =>
    mail.mails
      .map((one) => ({ to: one.to, ...readMail(one) }))
      .filter(({ headers, to }) => to.includes(address) && subject.test(headers.get("subject") ?? ""))

  return {
    url,
    issuer,
    run,
    person,
    /** Something that lasts as long as the service. */
    keep: <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Scope.extend(effect, scope)),
    /** The live demo in a process of its own: a story, a repository, a runner and its agent. */
    liveDemo: () => shop.node(settings, "demo", "--live"),
    /** A sign-in link as the operator makes it. */
    link: (email: string, slug = "demo") =>
      run(Effect.map(SignIn.makeLink({ workspace: slug as WorkspaceSlug, email }), (made) => Redacted.value(made.url))),
    /** The token of a new session. */
    session: (email: string, slug = "demo") =>
      run(
        Effect.gen(function* () {
          const { url: link } = yield* SignIn.makeLink({ workspace: slug as WorkspaceSlug, email })
          const token = Redacted.make(Redacted.value(link).split("/").at(-1) ?? "")
          const address = `192.0.2.${sessions++ % 250}`
          const client = { userAgent: "Firefox/140 Linux", address, requestId: null }
          return Redacted.value((yield* SignIn.useLink(token, { ...client, session: Option.none() })).token)
        })
      ),
    answer: (email: string, decision: string, optionId: string, note: string | null, channel: Channel = "slack") =>
      run(
        Effect.flatMap(person(email, "demo", channel), (by) =>
          Decisions.answer(by, { decision: decision as never, optionId, note, idempotency: null })
        )
      ),
    /** Raises a decision of a team, and returns its key. */
    raise: (title: string, more: { readonly slug?: string; readonly team?: string; readonly body?: string } = {}) =>
      run(
        Effect.gen(function* () {
          const { body = "", slug = "demo", team = "platform" } = more
          const raised = yield* Decisions.raise(
            yield* person(slug === "demo" ? "owner@demo.test" : `owner@${slug}.test`, slug),
            { team: team as TeamSlug },
            {
              kind: "maintenance_proposal",
              authority: "member",
              title,
              body,
              recommendation: "accept",
              options: [
                { id: "accept", label: "Accept it", action: "accept_proposal" },
                { id: "decline", label: "Decline it", action: "decline_proposal" }
              ],
              subject: title
            }
          )
          return (JSON.parse(raised) as { readonly key: string }).key
        })
      ),
    /** A source that feeds a service; the returned function posts alerts to it as their tool does. */
    source: async (name: string, services: ReadonlyArray<string>, email = "owner@demo.test", slug = "demo") => {
      const { secret, source } = await run(
        Effect.flatMap(person(email, slug), (by) =>
          Sources.create(by, { name, kind: "generic", services, secret: null, isTimestampRequired: false })
        )
      )
      return async (...alerts: ReadonlyArray<Alert>) => {
        const body = JSON.stringify({ alerts })
        const headers = { "content-type": "application/json", ...signed(Redacted.value(secret), body) }
        const path = `/signals/${source.token}`
        const { status, text } = await ask(url.replace("localhost", "127.0.0.1"), path, {
          method: "POST",
          body,
          headers
        })
        if (status !== 202) throw new Error(`the alerts were refused: ${status} ${text}`)
      }
    },
    /** The newest incident with a title, when it exists. */
    incident: async (title: string, slug = "demo", email = "owner@demo.test") => {
      const { workspace } = await run(person(email, slug))
      return vi.waitFor(
        async () => {
          const all = await run(incidentsOf(workspace))
          const found = all
            .map((json) => JSON.parse(json) as typeof IncidentView.Encoded)
            .find((one) => one.title === title)
          return found ?? assert.fail(`there is no incident '${title}'`)
        },
        { timeout: 60_000 }
      )
    },
    mailed: (address: string, subject: RegExp, count = 1) =>
      eventually(
        () => `${count} mail(s) to ${address} with ${subject}; there are ${mail.mails.length} mails`,
        () => mailsTo(address, subject)[count - 1]
      ),
    close: async () => {
      await runtime.dispose()
      service.signal("SIGTERM")
      await service.ended()
      await shop.close()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

export type Stage = Awaited<ReturnType<typeof open>>
