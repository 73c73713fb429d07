import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Fiber, Layer, Option, Redacted, TestClock } from "effect"
import { readFile } from "node:fs/promises"
import * as Mail from "../../adapters/notify/Mail.ts"
import * as NotifiersLayer from "../../adapters/notify/Notifiers.ts"
import * as Webhook from "../../adapters/notify/Webhook.ts"
import { parseRange } from "../../adapters/outgoing/AllowedAddresses.ts"
import * as OutgoingHttp from "../../adapters/outgoing/OutgoingHttp.ts"
import { PlaceKind } from "../../domain/oncall/Place.ts"
import { Notifiers } from "../../application/ports/Notifier.ts"
import { mailServer, password, readMail, user } from "./MailServer.ts"
import { failing, type Line, notifierContract, patience } from "./NotifierContract.ts"
import { encoded, message } from "./Sample.ts"
import { mailbox } from "./WebServer.ts"
import { isLong } from "../support/Long.ts"

const outgoing = OutgoingHttp.make({ allowed: Option.toArray(parseRange("127.0.0.0/8")), isHttpAllowed: true })

/** A notifier that posts to places, and the receiver of its posts. */
const place = (make: typeof Webhook.make) =>
  Effect.map(mailbox, (box) => ({
    ...box,
    notifier: make(outgoing),
    hasty: make(outgoing, patience),
    to: Redacted.make(`http://127.0.0.1:${box.port}/hooks/pa7h-token?key=qu3ry-token`),
    secrets: ["pa7h-token", "qu3ry-token", "s3cret"],
    answer: (mood: Parameters<Line["answer"]>[0]) =>
      void (box.today.status = { well: 204, refused: 404, busy: 429, silent: null }[mood]),
    accepted: () => box.posts.filter(({ answered }) => answered === 200 || answered === 204)
  }))

const webhook = place(Webhook.make)

const mail = Effect.map(mailServer, (server) => {
  const url = Redacted.make(`smtp://${user}:${password}@127.0.0.1:${server.port}`)
  const from = "Gatehouse <gate@example.test>"
  return {
    ...server,
    notifier: Mail.make({ url, from }),
    hasty: Mail.make({ url, from, limit: patience }),
    to: Redacted.make("ada@example.test"),
    secrets: [password, "ada@example.test"]
  }
})

notifierContract(
  "webhook",
  Effect.map(webhook, (line): Line => ({
    ...line,
    received: () =>
      line
        .accepted()
        .map(({ body, headers }) => ({ ...JSON.parse(body), id: headers["idempotency-key"] }))
        .map(({ id, text, thread }) => ({ id, text, subject: text.split("\n")[0], thread: thread.threadKey }))
  }))
)

notifierContract(
  "mail",
  Effect.map(mail, (line): Line => ({
    ...line,
    answer: (mood) => void (line.answers.rcpt = { well: undefined, refused: 550, busy: 451, silent: null }[mood]),
    received: () =>
      line.mails.map(readMail).map(({ headers, text }) => ({
        id: headers.get("x-gatehouse-id") ?? "",
        subject: headers.get("subject") ?? "",
        thread: headers.get("references") ?? "",
        text
      }))
  }))
)

describe("a webhook", () => {
  it.scopedLive("posts what people read and what programs read", () =>
    Effect.gen(function* () {
      const { notifier, port, posts, to } = yield* webhook
      yield* notifier.send(to, message)
      const [post] = posts
      assert.deepStrictEqual(JSON.parse(post?.body ?? ""), {
        text: message.text,
        id: message.id,
        thread: { threadKey: "inc-7k2m" },
        ...encoded
      })
      assert.deepStrictEqual([post?.method, post?.path], ["POST", "/hooks/pa7h-token?key=qu3ry-token"])
      assert.include(post?.headers, {
        host: `127.0.0.1:${port}`,
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(post?.body ?? "")),
        "user-agent": "Gatehouse",
        "idempotency-key": message.id
      })
    })
  )

  it.scopedLive("is tried again after what passes only", () =>
    Effect.gen(function* () {
      const line = yield* webhook
      const told = (status: number) => {
        line.today.status = status
        return Effect.map(failing(line), ({ isFinal, reason: problem }) => {
          assert.strictEqual(problem, `127.0.0.1:${line.port}: it answered ${status}`)
          return isFinal
        })
      }
      const passing = [408, 425, 429, 500, 502, 503, 504, 599]
      const lasting = [300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 409, 410, 413, 422, 451]
      assert.deepStrictEqual(yield* Effect.forEach([...passing, ...lasting], told), [
        ...passing.map(() => false),
        ...lasting.map(() => true)
      ])
      assert.strictEqual(line.connections(), passing.length + lasting.length)
    })
  )

  it.live("to an address that is not allowed is given up for good", () =>
    Effect.gen(function* () {
      const notifier = Webhook.make(OutgoingHttp.make({ allowed: [], isHttpAllowed: true }))
      const to = Redacted.make("http://10.1.2.3/pa7h-token")
      const { isFinal, reason: problem } = yield* failing({ notifier, to, secrets: ["pa7h-token"] })
      assert.isTrue(isFinal)
      assert.match(problem, /^10\.1\.2\.3: it is not a public address/)
    })
  )
})

describe.concurrent("a mail", () => {
  it.scopedLive("says who wrote it, that a machine did, and to what incident it belongs", () =>
    Effect.gen(function* () {
      const { mails, notifier, to } = yield* mail
      yield* notifier.send(to, message)
      const [sent = { to: [], source: "" }] = mails
      const { headers } = readMail(sent)
      assert.deepStrictEqual(sent.to, ["ada@example.test"])
      assert.deepInclude(Object.fromEntries(headers), {
        from: "Gatehouse <gate@example.test>",
        to: "ada@example.test",
        "message-id": "<note-1-a4f0@gatehouse>",
        "in-reply-to": "<inc-7k2m.acme@gatehouse>",
        references: "<inc-7k2m.acme@gatehouse>",
        "auto-submitted": "auto-generated"
      })
    })
  )

  it.scopedLive("takes no header out of a title", () =>
    Effect.gen(function* () {
      const { mails, notifier, to } = yield* mail
      const names = () => readMail(mails.at(-1) ?? { to: [], source: "" }).lines.map((line) => line.split(":")[0])
      yield* notifier.send(to, message)
      const expected = names()
      for (const end of ["\r\n", "\n", "\r", "\r\n\r\n", "\u2028", "\0", "é\r\n"]) {
        const hostile = `Down${end}Bcc: eve@example.test${end}X-Evil: yes`
        yield* notifier.send(to, { ...message, id: `note${end}X-Evil: yes`, subject: hostile })
        assert.deepStrictEqual(names(), expected, JSON.stringify(end))
        assert.deepStrictEqual(mails.at(-1)?.to, ["ada@example.test"])
      }
    })
  )

  it.live.each(["", "ada", "ada@example.test, eve@example.test", "Ada <ada@example.test>", "a@b\r\nRCPT TO:<c@d>"])(
    "to '%s' is given up for good, as it is not one address",
    (text) =>
      Effect.gen(function* () {
        const url = Redacted.make("smtp://127.0.0.1:1")
        const notifier = Mail.make({ url, from: "gate@example.test" })
        assert.isTrue((yield* failing({ notifier, to: Redacted.make(text), secrets: [] })).isFinal)
      })
  )

  it.scopedLive.each([
    ["rcpt", 421, false],
    ["rcpt", 450, false],
    ["rcpt", 452, false],
    ["rcpt", 551, true],
    ["rcpt", 553, true],
    ["data", 451, false],
    ["data", 552, true],
    ["data", 554, true],
    ["from", 451, false],
    ["from", 550, false],
    ["connect", 421, false],
    ["connect", 554, false]
  ] as const)("refused at %s with %i is given up for good: %s", ([step, code, isFinal]) =>
    Effect.gen(function* () {
      const line = yield* mail
      line.answers[step] = code
      const undelivered = yield* failing(line)
      assert.strictEqual(undelivered.isFinal, isFinal)
      assert.include(undelivered.reason, `the mail server answered ${code}`)
    })
  )

  it.scopedLive.each(["connect", "from", "rcpt", "data"] as const)("waits no longer for silence at %s", (step) =>
    Effect.gen(function* () {
      const line = yield* mail
      line.answers[step] = null
      const undelivered = yield* failing({ ...line, notifier: line.hasty })
      assert.isFalse(undelivered.isFinal)
      assert.match(undelivered.reason, /ETIMEDOUT|takes too long/)
    })
  )

  const silentAt = (step: "from" | "rcpt" | "data") =>
    Effect.gen(function* () {
      const { answers, port, silences, to } = yield* mail
      answers[step] = null
      const url = Redacted.make(`smtp://${user}:${password}@127.0.0.1:${port}`)
      const notifier = Mail.make({ url, from: "gate@example.test", limit: Duration.seconds(2) })
      // The clock of the overall limit stands still.
      const undelivered = yield* failing({ notifier, to, secrets: [password] })
      assert.include(undelivered.reason, "ETIMEDOUT")
      assert.deepStrictEqual(silences, [step])
    })

  it.scoped("has its socket closed after silence at from, rcpt or data", () =>
    Effect.forEach(isLong ? (["from", "rcpt", "data"] as const) : (["rcpt"] as const), silentAt, {
      concurrency: "unbounded"
    })
  )

  it.scoped("is given up for now when all of it takes over a minute", () =>
    Effect.gen(function* () {
      const line = yield* mail
      line.answers.connect = null
      const waiting = yield* Effect.fork(failing(line))
      yield* TestClock.adjust("60 seconds")
      const undelivered = yield* Fiber.join(waiting)
      assert.deepStrictEqual([undelivered.reason, undelivered.isFinal], ["the mail server takes too long", false])
    })
  )

  it.scopedLive("is tried again when the password is wrong, which is not told", () =>
    Effect.gen(function* () {
      const { port, to } = yield* mail
      const url = Redacted.make(`smtp://${user}:wr0ng-pa55@127.0.0.1:${port}`)
      const notifier = Mail.make({ url, from: "gate@example.test" })
      const undelivered = yield* failing({ notifier, to, secrets: ["wr0ng-pa55", password] })
      assert.isFalse(undelivered.isFinal)
      assert.include(undelivered.reason, "535")
    })
  )
})

describe("the ways out", () => {
  it("are in the docs' table of channels, each kind of place in a row", async () => {
    const page = await readFile(new URL("../../docs/incidents.md", import.meta.url), "utf8")
    for (const kind of PlaceKind.literals) assert.match(page, new RegExp(`^\\| ${kind} \\| a place`, "m"))
  })

  const given = (settings: ReadonlyArray<readonly [string, string]>) =>
    Notifiers.pipe(
      Effect.provide(NotifiersLayer.layer.pipe(Layer.provide(OutgoingHttp.layer))),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(settings)))
    )

  it.live("have no mail without a mail server", () =>
    Effect.gen(function* () {
      assert.isNull((yield* given([])).mail)
      assert.isNotNull((yield* given([["SMTP_URL", "smtp://localhost"]])).mail)
    })
  )

  it.scopedLive("lead to private addresses by the settings only", () =>
    Effect.gen(function* () {
      const { connections, to } = yield* webhook
      const closed = yield* given([])
      assert.isTrue((yield* Effect.flip(closed.places.webhook.send(to, message))).isFinal)
      assert.strictEqual(connections(), 0)
      const open = yield* given([
        ["OUTGOING_ALLOW", "127.0.0.1/32"],
        ["OUTGOING_HTTP", "on"]
      ])
      yield* open.places.webhook.send(to, message)
      assert.strictEqual(connections(), 1)
    })
  )
})
