import type { DateTime } from "effect"
import type { AlertView } from "../../../../domain/oncall/Alert.ts"
import type { DeliveryView, Verdict } from "../../../../domain/oncall/Delivery.ts"
import type { RefusedDelivery } from "../../../../domain/oncall/RefusedDelivery.ts"
import { Icon, type IconName } from "../components/Icon.tsx"
import { Badge, Empty, Panel } from "../components/Parts.tsx"
import { type Column, Table } from "../components/Table.tsx"
import { Time } from "../components/Time.tsx"

const verdicts: Readonly<
  Record<
    Verdict["verdict"],
    { readonly icon: IconName; readonly tone: "" | "ok" | "warn" | "bad" | "run"; readonly word: string }
  >
> = {
  opened: { icon: "siren", tone: "bad", word: "Opened" },
  joined: { icon: "plus", tone: "bad", word: "Joined" },
  recovered: { icon: "check", tone: "ok", word: "Recovered" },
  below_severity: { icon: "sev1", tone: "", word: "Below severity" },
  outside_hours: { icon: "clock", tone: "", word: "Outside hours" },
  source_paused: { icon: "pause", tone: "", word: "Source paused" },
  no_service: { icon: "warn", tone: "warn", word: "No service" },
  test: { icon: "send", tone: "run", word: "Test" },
  duplicate: { icon: "copy", tone: "", word: "Duplicate" },
  repeat: { icon: "retry", tone: "", word: "Repeat" },
  late_retry: { icon: "clock", tone: "", word: "Late retry" },
  nothing_to_recover: { icon: "minus", tone: "", word: "Nothing to recover" },
  ignored: { icon: "minus", tone: "", word: "Ignored" },
  rejected: { icon: "x", tone: "warn", word: "Rejected" }
}

const states = {
  waiting: { icon: "clock", tone: "", word: "Waiting" },
  done: { icon: "minus", tone: "", word: "No alerts" },
  duplicate: { icon: "copy", tone: "", word: "Duplicate" },
  failed: { icon: "x", tone: "bad", word: "Failed" }
} as const

interface Row {
  readonly id: string
  readonly at: DateTime.Utc
  readonly status: DeliveryView["status"]
  readonly verdict: Verdict | null
  readonly title: string
  /** Set in the first row of a delivery that can be judged again. */
  readonly replayable: string | null
}

const rowsOf = (deliveries: ReadonlyArray<DeliveryView>, titles: ReadonlyMap<string, string>): ReadonlyArray<Row> =>
  deliveries.flatMap(({ body, id, receivedAt, status, verdicts: all }) => {
    const mayReplay = body !== null && (status === "done" || status === "failed")
    return [...(all.length === 0 ? [null] : all)].map((verdict, index) => ({
      id: `${id}-${index}`,
      at: receivedAt,
      status,
      verdict,
      title: titles.get(verdict?.alert ?? "") ?? "",
      replayable: mayReplay && index === 0 ? id : null
    }))
  })

export interface Ledger {
  readonly base: string
  readonly path: string
  readonly isAdmin: boolean
  readonly deliveries: ReadonlyArray<DeliveryView>
  readonly alerts: ReadonlyArray<Pick<AlertView, "id" | "title">>
  readonly older: string | null
}

/** The explanation of a verdict; the incident in it is a link. */
const Why = ({ base, verdict: { explanation, incident } }: { readonly base: string; readonly verdict: Verdict }) => {
  if (incident === null) return <>{explanation}</>
  const [before = "", ...after] = explanation.split(incident)
  return (
    <>
      {before}
      {after.length === 0 ? " " : null}
      <a href={`${base}/incidents/${incident}`}>{incident}</a>
      {after.join(incident)}
    </>
  )
}

const columns = ({ base, isAdmin, path }: Ledger): ReadonlyArray<Column<Row>> => [
  { head: "Received", fold: "nowrap f-end", cell: ({ at }) => <Time at={at} /> },
  {
    head: "Alert",
    cell: ({ title, verdict }) => (
      <>
        {title === "" ? null : <b>{title}</b>}
        <span class="sub mono">{verdict?.fingerprint ?? "–"}</span>
      </>
    )
  },
  {
    head: "Verdict",
    fold: "f-start",
    cell: ({ status, verdict }) => {
      const { icon, tone, word } = verdict === null ? states[status] : verdicts[verdict.verdict]
      return (
        <Badge icon={icon} tone={tone}>
          {word}
        </Badge>
      )
    }
  },
  {
    head: "Why",
    cell: ({ status, verdict }) =>
      verdict === null ? (
        status === "waiting" ? (
          "It is judged in a moment."
        ) : null
      ) : (
        <Why base={base} verdict={verdict} />
      )
  },
  ...(isAdmin
    ? [
        {
          head: <span class="vh">Action</span>,
          fold: "right",
          cell: ({ replayable, title, verdict }: Row) =>
            replayable === null ? null : (
              <form method="post" action={`${path}/replay`}>
                <input type="hidden" name="delivery" value={replayable} />
                <button class="btn quiet" type="submit">
                  <Icon name="retry" />
                  Judge again
                  <span class="vh">: {title || verdict?.fingerprint || replayable}</span>
                </button>
              </form>
            )
        }
      ]
    : [])
]

/** The ledger of a source: what it sent, what became of each alert, and why. */
export const Deliveries = (ledger: Ledger) => (
  <Panel
    id="deliveries-title"
    title="Deliveries"
    end="Newest first"
    footer={
      ledger.older === null ? null : (
        <a class="btn" href={ledger.older}>
          Older deliveries
        </a>
      )
    }
  >
    {ledger.deliveries.length === 0 ? (
      <Empty title="Nothing arrived yet" icon="send">
        Set the tool up with the steps above, or send a test alert. What arrives appears here without a reload.
      </Empty>
    ) : (
      <Table
        caption="Deliveries"
        columns={columns(ledger)}
        rows={rowsOf(ledger.deliveries, new Map(ledger.alerts.map(({ id, title }) => [id, title])))}
        idOf={({ id }) => `delivery-${id}`}
      />
    )}
  </Panel>
)

/** Posts that were refused, with the answer that the tool got. */
export const Refusals = ({
  refusals,
  total
}: {
  readonly refusals: ReadonlyArray<RefusedDelivery>
  readonly total: number
}) =>
  refusals.length === 0 ? null : (
    <Panel id="refused" title="Refused" end={`${total} in all`}>
      <Table
        caption="Refused posts"
        rows={refusals}
        idOf={({ receivedAt }) => `refused-${receivedAt.epochMillis}`}
        columns={[
          { head: "Received", fold: "nowrap f-end", cell: ({ receivedAt }) => <Time at={receivedAt} /> },
          {
            head: "Answer",
            fold: "f-start",
            cell: ({ code, status }) => (
              <Badge icon="x" tone="warn">
                {status} {code.replaceAll("_", " ")}
              </Badge>
            )
          },
          { head: "Why", cell: ({ message }) => message }
        ]}
      />
    </Panel>
  )
