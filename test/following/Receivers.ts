import { Effect, Redacted } from "effect"
import { SMTPServer } from "smtp-server"
import * as Places from "../../application/oncall/Places.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import { fakePagerDuty } from "../sources/FakePagerDuty.ts"
import { fakeTool } from "../sources/FakeTool.ts"
import { readMail } from "../notify/MailServer.ts"
import { ownPort } from "../support/Port.ts"
import { type desk, team } from "./Desk.ts"

interface Mail {
  readonly to: string
  readonly id: string
  readonly subject: string
}

/** A mail server that can stop and restart. */
const mailOffice = (port: number) => {
  const mails: Array<Mail> = []
  let server: SMTPServer | null = null
  return {
    mails,
    start: () =>
      new Promise<void>((done, refuse) => {
        const office = new SMTPServer({
          hideSTARTTLS: true,
          disableReverseLookup: true,
          authOptional: true,
          closeTimeout: 10,
          onData: (stream, session, taken) => {
            const chunks: Array<Buffer> = []
            stream.on("data", (chunk: Buffer) => chunks.push(chunk))
            stream.on("end", () => {
              const to = session.envelope.rcptTo.map(({ address }) => address)
              const { headers } = readMail({ to, source: Buffer.concat(chunks).toString("latin1") })
              mails.push({
                to: to.join(),
                id: headers.get("x-gatehouse-id") ?? "",
                subject: headers.get("subject") ?? ""
              })
              taken()
            })
          }
        })
        office.once("error", refuse)
        office.listen(port, "127.0.0.1", () => {
          office.on("error", () => {})
          server = office
          done()
        })
      }),
    stop: () => new Promise<void>((done) => (server === null ? done() : server.close(() => done())))
  }
}

export const credentials = { key: "k-e-y", from: "oncall@acme.test" }

/** A mail server, a chat and PagerDuty, each of which can stop for a while. */
export const receivers = async () => {
  const mailPort = await ownPort()
  const [mail, chat, pager] = [
    mailOffice(mailPort),
    fakeTool(() => ({ status: 200, body: "ok" })),
    fakePagerDuty(credentials)
  ]
  const start = () => Promise.all([mail.start(), chat.start(), pager.start()])
  const [, chatUrl, pagerUrl] = await start()
  return {
    mail,
    chat,
    pager,
    settings: {
      SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
      OUTGOING_ALLOW: "127.0.0.0/8",
      OUTGOING_HTTP: "on"
    },
    chatUrl,
    credentials: Redacted.make(JSON.stringify({ ...credentials, api: pagerUrl })),
    leave: () => Promise.all([mail.stop(), chat.stop(), pager.stop()]),
    comeBack: start
  }
}
export type Receivers = Awaited<ReturnType<typeof receivers>>

/** Points a desk's places and API to the receivers. */
export const settleIn = (one: Effect.Effect.Success<ReturnType<typeof desk>>, { chatUrl, credentials }: Receivers) =>
  Effect.gen(function* () {
    for (const name of ["ops", "chat"]) {
      yield* Places.remove(one.owner, team, name)
      yield* Places.add(one.owner, { team, name, address: Redacted.make(`${chatUrl}/${name}`) })
    }
    yield* Sources.setCredentials(one.owner, "tool", credentials)
  })

interface Post {
  readonly path: string
  readonly id: string
  readonly event: string
  readonly incident: string
}

export const postsOf = ({ chat }: Receivers): ReadonlyArray<Post> =>
  chat.asked.map(({ body, headers, path }) => {
    const { event, id, incident } = JSON.parse(body) as { event: string; id: string; incident: { key: string } }
    if (headers["idempotency-key"] !== id) throw new Error(`${path}: ${headers["idempotency-key"]} is not ${id}`)
    return { path, id, event, incident: incident.key }
  })

/** Drops repeated messages of the same id. */
export const once = <A extends { readonly id: string }>(all: ReadonlyArray<A>): ReadonlyArray<A> =>
  [...new Map(all.toReversed().map((one) => [one.id, one])).values()].toReversed()
