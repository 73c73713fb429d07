import { type DateTime, Redacted } from "effect"
import type { Refusals as Counted } from "../../../../application/ports/OnCallStore.ts"
import type { Volume } from "../../../../application/ports/SignalStore.ts"
import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import type { RefusedDelivery } from "../../../../domain/oncall/RefusedDelivery.ts"
import { isPosting, type SignalSource, toolNames } from "../../../../domain/oncall/SignalSource.ts"
import type { Health } from "../../../../domain/oncall/UptimeCheck.ts"
import { Pairs } from "../components/Facts.tsx"
import { Copy, Field, type Filled } from "../components/Form.tsx"
import { Crumbs, Heading } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Live } from "../components/Live.tsx"
import { Badge, Button, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Age } from "../components/Time.tsx"
import { counted } from "../incidents/IncidentWords.ts"
import { CheckFacts } from "./CheckFacts.tsx"
import { Deliveries, type Ledger, Refusals } from "./Deliveries.tsx"
import { SetupSteps } from "./SetupSteps.tsx"
import type { Typed } from "./SourceForm.ts"
import { SourceSettings } from "./SourceSettings.tsx"
import { VolumeChart } from "./VolumeChart.tsx"

export interface Shown {
  readonly base: string
  readonly source: SignalSource
  readonly at: OnCall
  readonly isAdmin: boolean
  /** The steps of its tool; with the secret while it is shown. */
  readonly setup: ReadonlyArray<string>
  readonly address: string
  /** A secret that was just made, which is shown once. */
  readonly secret: Redacted.Redacted | null
  /** True when the tool makes the secret itself. */
  readonly isTheirs: boolean
  readonly ledger: Pick<Ledger, "deliveries" | "alerts" | "older">
  /** Address of this page of the ledger. */
  readonly here: string
  readonly refused: ReadonlyArray<RefusedDelivery>
  readonly refusals: Counted | undefined
  readonly volume: ReadonlyArray<Volume>
  readonly health: Health | undefined
  readonly filled: Filled
  /** Fields of its settings, as they are or as they were typed. */
  readonly typed: Typed
  readonly refusal: string | null
}

export const pathOf = (base: string, { id }: Pick<SignalSource, "id">) => `${base}/sources/${id}`

export const kindWords = (kind: SignalSource["kind"]): string =>
  kind === "generic" ? "Any tool that signs its posts" : kind === "uptime" ? "Uptime check" : toolNames[kind]

/** State of a source: paused, disconnected, receiving, or nothing yet. */
export const SourceBadge = ({
  lastAt,
  source
}: {
  readonly source: SignalSource
  readonly lastAt: DateTime.Utc | null
}) =>
  source.pausedAt !== null ? (
    <Badge icon="pause" tone="warn">
      Paused
    </Badge>
  ) : source.disconnectedAt !== null ? (
    <Badge icon="x" tone="bad">
      Disconnected
    </Badge>
  ) : lastAt === null ? (
    <Badge icon="ring" tone="line">
      Nothing arrived yet
    </Badge>
  ) : (
    <Badge icon="check" tone="ok">
      Receiving
    </Badge>
  )

const Act = ({
  children,
  icon,
  path
}: {
  readonly path: string
  readonly icon: "send" | "pause" | "run"
  readonly children: string
}) => (
  <form method="post" action={path}>
    <Button icon={icon}>{children}</Button>
  </form>
)

const Head = ({ at, base, isAdmin, ledger, refusals, source }: Shown) => {
  const path = pathOf(base, source)
  const fed = at.services.filter(({ deletedAt, id }) => deletedAt === null && source.services.includes(id))
  const lastAt = ledger.deliveries[0]?.receivedAt ?? null
  return (
    <>
      <Crumbs
        way={[
          ["On-call", `${base}/incidents`],
          ["Sources", `${base}/sources`]
        ]}
        here={source.name}
      />
      <Heading
        title={source.name}
        actions={
          isAdmin ? (
            <>
              {isPosting(source.kind) ? (
                <Act path={`${path}/test`} icon="send">
                  Send a test alert
                </Act>
              ) : null}
              {source.pausedAt === null ? (
                <Act path={`${path}/pause`} icon="pause">
                  Pause
                </Act>
              ) : (
                <Act path={`${path}/resume`} icon="run">
                  Resume
                </Act>
              )}
            </>
          ) : null
        }
      >
        <p class="meta">
          <SourceBadge source={source} lastAt={lastAt} />
          <span>{kindWords(source.kind)}</span>
          <span>
            {fed.length === 0 ? (
              <span class="s-warn b">
                <Icon name="warn" /> feeds no service
              </span>
            ) : (
              <>
                feeds{" "}
                {fed.map(({ id, name }, index) => (
                  <>
                    {index === 0 ? "" : ", "}
                    <a href={`${base}/services/${id}`}>{name}</a>
                  </>
                ))}
              </>
            )}
          </span>
          <span>
            {lastAt === null ? (
              "no good delivery yet"
            ) : (
              <>
                last good delivery <Age at={lastAt} />
              </>
            )}
          </span>
          <span>{counted(refusals?.count ?? 0, "post")} refused</span>
        </p>
      </Heading>
    </>
  )
}

const OwnSecret = ({ base, filled, source }: Shown) => (
  <form class="stack" method="post" action={`${pathOf(base, source)}/secret`} novalidate>
    <Field
      name="secret"
      label={`Secret that ${toolNames[source.kind]} shows`}
      filled={filled}
      autocomplete="off"
      spellcheck={false}
      hint="It is kept encrypted and never shown again."
    />
    <p>
      <Button tone="primary">Keep this secret</Button>
    </p>
  </form>
)

const Setup = (shown: Shown) => {
  const { address, isAdmin, isTheirs, secret, setup, source } = shown
  return (
    <Panel
      id="setup"
      title={source.kind === "generic" ? "Set it up" : `Set it up in ${toolNames[source.kind]}`}
      isFocused={secret !== null}
    >
      <div class="body stack">
        <div class="field">
          <span class="label">Address</span>
          <Copy label="Address" value={address} />
        </div>
        {secret === null || isTheirs ? null : (
          <div class="field">
            <span class="label">Secret</span>
            <Copy label="Secret" value={Redacted.value(secret)} />
            <p class="small">
              <span class="s-warn">
                <Icon name="warn" />
              </span>{" "}
              <b>Shown only now.</b>{" "}
              <span class="muted">If it is lost, rotate it: the old one passes for 24 more hours.</span>
            </p>
          </div>
        )}
        {address.startsWith("http://") ? (
          <Notice tone="warn">
            <p>The address is plain http. Most tools post to https only: put a proxy in front and set PUBLIC_URL.</p>
          </Notice>
        ) : null}
        <SetupSteps lines={setup} />
        {isTheirs && isAdmin ? <OwnSecret {...shown} /> : null}
      </div>
    </Panel>
  )
}

const Facts = ({ base, isAdmin, ledger, refused, source, volume }: Shown) => {
  const [last] = refused
  const [delivery] = ledger.deliveries
  return (
    <Panel id="volume" title="Alerts per hour">
      <div class="body stack">
        <VolumeChart volume={volume} />
        <Pairs
          of={[
            ["Last good delivery", delivery === undefined ? "None yet" : <Age at={delivery.receivedAt} />],
            [
              "Last refusal",
              last === undefined ? (
                "None"
              ) : (
                <>
                  <Age at={last.receivedAt} />: {last.status} {last.code.replaceAll("_", " ")}
                </>
              )
            ],
            ...(isPosting(source.kind)
              ? [
                  [
                    "Secret",
                    <>
                      made <Age at={source.updatedAt ?? source.createdAt} />{" "}
                      {isAdmin ? <a href={`${pathOf(base, source)}/rotate`}>Rotate</a> : null}
                    </>
                  ] as const,
                  ["Signed time", source.isTimestampRequired ? "required" : "not required"] as const
                ]
              : []),
            ["Kept", "deliveries for 30 days"],
            ["Limit", "512 KB a delivery"],
            ...(source.trouble === null ? [] : [["Its API", source.trouble] as const])
          ]}
        />
      </div>
    </Panel>
  )
}

/** A source: how it is set up, what it sent, and what became of it. */
export const SourcePage = (shown: Shown) => {
  const { base, here, isAdmin, ledger, refusal, refused, refusals, source } = shown
  const path = pathOf(base, source)
  return (
    <>
      <Live id="source-head" path={here} topics={["sources", source.id]}>
        <Head {...shown} />
      </Live>
      {refusal === null ? null : (
        <Notice tone="bad" isAlert>
          <p>{refusal}</p>
        </Notice>
      )}
      <div class="stack wide">
        <div class="cols">
          {isPosting(source.kind) ? <Setup {...shown} /> : <CheckFacts health={shown.health} source={source} />}
          <Live id="source-facts" path={here} topics={["sources", source.id]}>
            <Facts {...shown} />
          </Live>
        </div>
        <Live id="ledger" path={here} topics={["sources", source.id]} class="stack">
          <Deliveries {...ledger} base={base} path={path} isAdmin={isAdmin} />
          <Refusals refusals={refused} total={refusals?.count ?? refused.length} />
        </Live>
        {isAdmin ? <SourceSettings {...shown} /> : null}
        {isAdmin ? (
          <p>
            <LinkButton href={`${path}/delete`} tone="danger">
              Delete the source
            </LinkButton>
          </p>
        ) : null}
      </div>
    </>
  )
}
