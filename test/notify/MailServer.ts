import { Effect } from "effect"
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"

type Answered = (error?: Error | null) => void

/** The server's answer at each step: a code that refuses, or null for silence. */
interface Answers {
  connect?: number | null | undefined
  from?: number | null | undefined
  rcpt?: number | null | undefined
  data?: number | null | undefined
}

export interface Mail {
  readonly to: ReadonlyArray<string>
  readonly source: string
}

export const user = "gatehouse"
export const password = "s3cret-pa55"

/** A real SMTP server on its own port, which quotes the address it refuses, as many do. */
export const mailServer = Effect.acquireRelease(
  Effect.async<{
    readonly port: number
    readonly mails: Array<Mail>
    readonly answers: Answers
    /** Steps at which it did not answer. */
    readonly silences: Array<keyof Answers>
    readonly stop: Effect.Effect<void>
  }>((resume) => {
    const mails: Array<Mail> = []
    const answers: Answers = {}
    const silences: Array<keyof Answers> = []
    const at = (step: keyof Answers, about: string, done: Answered) => {
      const code = answers[step]
      if (code === null) return void silences.push(step)
      done(code === undefined ? null : Object.assign(new Error(`<${about}> ${password}`), { responseCode: code }))
    }
    const server = new SMTPServer({
      hideSTARTTLS: true,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      closeTimeout: 10,
      onConnect: (_, done) => at("connect", "you", done),
      onAuth: (given, _, done) =>
        given.username === user && given.password === password
          ? done(null, { user })
          : done(Object.assign(new Error(`no ${given.password}`), { responseCode: 535 })),
      onMailFrom: ({ address }, _, done) => at("from", address, done),
      onRcptTo: ({ address }, _, done) => at("rcpt", address, done),
      onData: (stream, session, done) => {
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          const isTaken = answers.data === undefined
          const to = session.envelope.rcptTo.map(({ address }) => address)
          if (isTaken) mails.push({ to, source: Buffer.concat(chunks).toString("latin1") })
          at("data", "mail", done)
        })
      }
    })
    server.on("error", () => {})
    const stop = Effect.async<void>((done) => server.close(() => done(Effect.void)))
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.server.address() as AddressInfo
      resume(Effect.succeed({ port, mails, answers, silences, stop }))
    })
  }),
  ({ stop }) => stop
)

const octets = (text: string) =>
  Buffer.from(
    text.replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1"
  ).toString("utf8")

const word = (_: string, kind: string, text: string) =>
  kind === "Q" ? octets(text.replaceAll("_", " ")) : Buffer.from(text, "base64").toString("utf8")

/** The headers of a mail, with names in lower case, and its text. */
export const readMail = ({ source }: Mail) => {
  const [head = "", ...rest] = source.split("\r\n\r\n")
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n")
  const pairs = lines.map((line) => {
    const [name = "", ...value] = line.split(": ")
    const words = value.join(": ").replace(/\?= =\?/g, "?==?")
    return [name.toLowerCase(), words.replace(/=\?UTF-8\?([QB])\?(.*?)\?=/gi, word)] as const
  })
  const headers = new Map(pairs)
  const body = rest.join("\r\n\r\n")
  const isQuoted = headers.get("content-transfer-encoding") === "quoted-printable"
  const text = isQuoted ? octets(body.replace(/=\r\n/g, "")) : body
  return { lines, headers, text: text.replaceAll("\r\n", "\n").trimEnd() }
}
