import { Duration, Effect, Redacted } from "effect"
import { createTransport, type NodemailerError } from "nodemailer"
import { JobFailed } from "../../application/ports/JobHandlers.ts"
import type { Letter, Notifier } from "../../application/ports/Notifier.ts"
import type { Notice } from "../../domain/oncall/Notice.ts"

interface Options {
  readonly url: Redacted.Redacted
  readonly from: string
  /** Time limit of the connection, the greeting and every response. */
  readonly limit?: Duration.Duration
}

const nameOf = (...parts: ReadonlyArray<string>): string => `<${parts.map(encodeURIComponent).join(".")}@gatehouse>`

/** All mails of an incident reply to a first mail that was never sent, so that they form a thread. */
const threadOf = ({ incident, workspace }: Notice) => ({
  inReplyTo: nameOf(incident.key, workspace),
  references: nameOf(incident.key, workspace)
})

const headersOf = ({ id, notice, subject }: Letter) => ({
  subject,
  messageId: nameOf(id),
  ...(notice && threadOf(notice)),
  headers: { "X-Gatehouse-Id": id, "Auto-Submitted": "auto-generated" }
})

/** A server's message may hold the address, so the error has only its code. */
const undelivered = ({ code, command = "", originalCode, permanent, responseCode }: NodemailerError) =>
  responseCode === undefined
    ? new JobFailed({
        reason: `the mail server cannot be used (${originalCode ?? code ?? "unknown"})`,
        isFinal: false
      })
    : new JobFailed({
        reason: `the mail server answered ${responseCode}${command === "" ? "" : ` to ${command}`}`,
        isFinal: permanent === true && ["RCPT TO", "DATA"].includes(command)
      })

const isAddress = (text: string): boolean => /^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/.test(text)

export const make = ({ from, limit = Duration.seconds(10), url }: Options): Notifier<Letter> => {
  const millis = Duration.toMillis(limit)
  const transport = createTransport({
    url: Redacted.value(url),
    logger: false,
    connectionTimeout: millis,
    greetingTimeout: millis,
    socketTimeout: millis,
    dnsTimeout: millis,
    disableFileAccess: true,
    disableUrlAccess: true
  })
  return {
    send: Effect.fn("Mail.send")(function* (to: Redacted.Redacted, message: Letter) {
      const address = Redacted.value(to)
      if (!isAddress(address)) return yield* new JobFailed({ reason: "it is no e-mail address", isFinal: true })
      yield* Effect.tryPromise({
        try: () => transport.sendMail({ from, to: { name: "", address }, text: message.text, ...headersOf(message) }),
        catch: (cause) => undelivered(cause as NodemailerError)
      }).pipe(
        Effect.timeoutFail({
          duration: Duration.times(limit, 6),
          onTimeout: () => new JobFailed({ reason: "the mail server takes too long", isFinal: false })
        })
      )
    })
  }
}
