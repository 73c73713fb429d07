import type { DateTime } from "effect"
import type { Refusals } from "../../../../application/ports/OnCallStore.ts"
import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import { type SignalSource, SourceKind } from "../../../../domain/oncall/SignalSource.ts"
import { Confirm } from "../components/Dialog.tsx"
import { Field, type Filled, Once } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { Live } from "../components/Live.tsx"
import { Button, Empty, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { Age } from "../components/Time.tsx"
import { CheckFields, ServiceBoxes } from "./SourceSettings.tsx"
import { kindWords, pathOf, SourceBadge } from "./SourceView.tsx"

/** Sources of alerts with their state. */
export const SourceList = ({
  at,
  base,
  isAdmin,
  lasts,
  refusals
}: {
  readonly base: string
  readonly at: OnCall
  readonly isAdmin: boolean
  readonly lasts: ReadonlyMap<string, DateTime.Utc>
  readonly refusals: ReadonlyMap<string, Refusals>
}) => {
  const sources = at.sources.filter(({ deletedAt }) => deletedAt === null)
  return (
    <>
      <Crumbs way={[["On-call", `${base}/incidents`]]} here="Sources" />
      <Heading
        title="Sources"
        actions={
          isAdmin ? (
            <LinkButton href={`${base}/sources/new`} tone="primary">
              Add a source
            </LinkButton>
          ) : null
        }
      >
        <Lede>Tools that send alerts here, and addresses that Gatehouse checks itself.</Lede>
      </Heading>
      <Live id="sources" path={`${base}/sources`} topics={["sources"]}>
        <section class="panel" aria-label="Sources">
          {sources.length === 0 ? (
            <Empty
              title="No tool sends alerts yet"
              icon="send"
              acts={isAdmin ? <LinkButton href={`${base}/sources/new`}>Add a source</LinkButton> : null}
            >
              {isAdmin ? "A source gives a tool its address and secret." : "Adding a source takes an admin."}
            </Empty>
          ) : (
            <Table
              caption="Sources"
              rows={sources}
              idOf={({ id }) => `source-${id}`}
              columns={[
                {
                  head: "Name",
                  fold: "f-start",
                  cell: (source) => (
                    <>
                      <a href={pathOf(base, source)} data-row>
                        {source.name}
                      </a>
                      <span class="sub">{kindWords(source.kind)}</span>
                    </>
                  )
                },
                {
                  head: "State",
                  fold: "f-end",
                  cell: (source) => <SourceBadge source={source} lastAt={lasts.get(source.id) ?? null} />
                },
                {
                  head: "Feeds",
                  label: "Feeds",
                  cell: ({ services }) =>
                    at.services
                      .filter(({ deletedAt, id }) => deletedAt === null && services.includes(id))
                      .map(({ name }) => name)
                      .join(", ") || <span class="s-warn b">no service</span>
                },
                {
                  head: "Last alert",
                  label: "Last alert",
                  cell: ({ id }) => {
                    const last = lasts.get(id)
                    return last === undefined ? <span class="muted">none yet</span> : <Age at={last} />
                  }
                },
                {
                  head: "Refused",
                  label: "Refused",
                  cell: ({ id }) => <span class="num">{refusals.get(id)?.count ?? 0}</span>
                }
              ]}
            />
          )}
        </section>
      </Live>
    </>
  )
}

const ToolChoice = ({ base, service }: { readonly base: string; readonly service: string }) => (
  <Panel id="tools" title="Which tool sends the alerts?">
    <ul class="body tools">
      {SourceKind.literals.map((kind) => (
        <li>
          <LinkButton
            href={`${base}/sources/new?${new URLSearchParams({ kind, ...(service !== "" && { service }) }).toString()}`}
          >
            {kindWords(kind)}
          </LinkButton>
        </li>
      ))}
    </ul>
  </Panel>
)

/** The form of a new source: its tool first, then its name and services. */
export const NewSource = ({
  at,
  base,
  chosen,
  filled,
  isAdmin,
  kind
}: {
  readonly base: string
  readonly at: OnCall
  readonly isAdmin: boolean
  readonly kind: SourceKind | null
  readonly chosen: ReadonlyArray<string>
  readonly filled: Filled
}) => (
  <>
    <Crumbs way={[["Sources", `${base}/sources`]]} here="Add a source" />
    <Heading title={kind === null ? "Add a source" : `Add a source: ${kindWords(kind)}`}>
      <Lede>It gets an address and a secret of its own. The page after this one says where to paste them.</Lede>
    </Heading>
    {!isAdmin ? (
      <Notice tone="info" icon="lock">
        <p>Adding a source takes an admin.</p>
      </Notice>
    ) : kind === null ? (
      <>
        {filled.errors["kind"] === undefined ? null : (
          <Notice tone="bad" isAlert>
            <p>{filled.errors["kind"]}</p>
          </Notice>
        )}
        <ToolChoice base={base} service={chosen[0] ?? ""} />
      </>
    ) : (
      <Panel id="new" title="New source">
        <form class="body stack" method="post" action={`${base}/sources/new`} novalidate>
          <Once />
          <input type="hidden" name="kind" value={kind} />
          <Field
            name="name"
            label="Name"
            hint={`Such as ${kind}-prod.`}
            filled={filled}
            maxLength={200}
            autocomplete="off"
          />
          {at.services.some(({ deletedAt }) => deletedAt === null) ? (
            <ServiceBoxes at={at} chosen={chosen} error={filled.errors["services"]} />
          ) : (
            <Notice tone="warn">
              <p>
                There is no service yet, so its alerts open nothing. <a href={`${base}/services`}>Add a service</a>
              </p>
            </Notice>
          )}
          {kind === "uptime" ? <CheckFields filled={filled} /> : null}
          <p class="bar">
            <LinkButton href={`${base}/sources/new`}>Choose another tool</LinkButton>
            <Button tone="primary">Add the source</Button>
          </p>
        </form>
      </Panel>
    )}
  </>
)

/** The question before a secret is rotated. */
export const RotatePage = ({
  base,
  isAdmin,
  source
}: {
  readonly base: string
  readonly isAdmin: boolean
  readonly source: SignalSource
}) => {
  const path = pathOf(base, source)
  return (
    <>
      <Crumbs
        way={[
          ["Sources", `${base}/sources`],
          [source.name, path]
        ]}
        here="Rotate"
      />
      <Heading title={`Rotate the secret of ${source.name}?`} />
      {isAdmin ? (
        <Confirm action={`${path}/rotate`} back={path} confirm="Rotate the secret" keep="Keep the secret">
          <p>The new secret is shown once. The old one passes for 24 more hours, so that the tool can be changed.</p>
        </Confirm>
      ) : (
        <Notice tone="info" icon="lock">
          <p>Rotating a secret takes an admin.</p>
        </Notice>
      )}
    </>
  )
}
