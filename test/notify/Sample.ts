import { Schema } from "effect"
import type { Message } from "../../application/ports/Notifier.ts"
import { Notice, subject, text } from "../../domain/oncall/Notice.ts"

export const encoded: typeof Notice.Encoded = {
  event: "opened",
  workspace: "acme",
  incident: {
    key: "inc-7k2m",
    status: "open",
    severity: "critical",
    title: "Checkout is down → café too",
    team: "payments",
    service: "checkout",
    environment: "production",
    openedAt: "2026-03-04T05:06:07.089Z",
    resolvedAt: null,
    alerts: 2,
    firing: 1,
    url: "https://gate.example.test/incidents/inc-7k2m"
  },
  alerts: [
    { title: "5xx over 10 %", severity: "critical", status: "firing", url: "https://metrics.example.test/a?b=c" }
  ],
  notified: ["Ada", "Grace"],
  finding: null,
  decision: null
}

const notice = Schema.decodeSync(Notice)(encoded)

export const message: Message = { id: "note-1-a4f0", subject: subject(notice), text: text(notice), notice }
