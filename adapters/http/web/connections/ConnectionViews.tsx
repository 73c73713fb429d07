import { Redacted } from "effect"
import { type Connection, type ConnectionState, stateOf } from "../../../../domain/connection/Connection.ts"
import { Confirm } from "../components/Dialog.tsx"
import { Copy, Field, type Filled, TextArea, Once } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Badge, Button, Empty, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { Age } from "../components/Time.tsx"
import { SettingsTabs } from "../settings/SettingsTabs.tsx"

export interface Shown {
  readonly base: string
  readonly origin: string
  readonly connections: ReadonlyArray<Connection>
  readonly isAdmin: boolean
  readonly filled: Filled
  /** A connection that was just made, with the secret of its webhooks. */
  readonly created: { readonly connection: Connection; readonly webhookSecret: Redacted.Redacted } | null
}

const pathOf = (base: string, { id }: Connection, step: "test" | "renew" | "remove") =>
  `${base}/settings/connections/${id}/${step}`

const states = {
  untested: ["Not tested yet", "clock", ""],
  connected: ["Connected", "check", "ok"],
  incomplete: ["Permissions are missing", "warn", "warn"],
  failing: ["Does not work", "warn", "bad"]
} as const satisfies Record<ConnectionState, unknown>

const State = ({ connection }: { readonly connection: Connection }) => {
  const [words, icon, tone] = states[stateOf(connection)]
  const { missing, trouble } = connection
  return (
    <span>
      <Badge icon={icon} tone={tone}>
        {words}
      </Badge>
      {trouble === null ? null : (
        <span class="sub">
          {trouble.reason} (<Age at={trouble.since} />)
        </span>
      )}
      {missing.map((permission) => (
        <span class="sub mono">{permission}</span>
      ))}
    </span>
  )
}

const Ready = ({ created, origin }: { readonly created: NonNullable<Shown["created"]>; readonly origin: string }) => (
  <section class="notice ok" aria-labelledby="new-connection">
    <Icon name="check" />
    <div>
      <h2 id="new-connection" tabindex={-1} data-focus>
        “{created.connection.name}” is connected. Test it below
      </h2>
      <p>
        Webhooks are optional: they make Gatehouse look at once instead of within a minute. In the settings of the
        repository on GitHub, add one of the type application/json. This is the only time its secret is shown.
      </p>
      <Copy label="Payload URL" value={`${origin}/hooks/github/${created.connection.token}`} />
      <Copy label="Secret" value={Redacted.value(created.webhookSecret)} />
    </div>
  </section>
)

/** The fields that both ways to connect ask for. */
export const HostFields = ({ filled }: { readonly filled: Filled }) => (
  <>
    <Field name="name" label="Name of the connection" filled={filled} maxLength={100} autocomplete="off" />
    <Field
      name="baseUrl"
      label="Address of GitHub"
      hint="For GitHub Enterprise, the address of its start page."
      filled={filled}
      autocomplete="off"
      spellcheck={false}
    />
  </>
)

const NewConnection = ({ base, filled }: Shown) => (
  <Panel id="connect" title="Connect GitHub by a token">
    <form class="body stack" method="post" action={`${base}/settings/connections`} novalidate>
      <Once />
      <HostFields filled={filled} />
      <Field
        name="token"
        label="Fine-grained token"
        hint="Permissions: contents, pull requests, commit statuses and issues to write, checks to read. It is kept encrypted and never shown again."
        filled={filled}
        autocomplete="off"
        spellcheck={false}
      />
      <Button tone="primary wide tall">Connect</Button>
      <p>
        For an organisation an App is better: <a href={`${base}/settings/connections/app`}>connect by an App</a>.
      </p>
    </form>
  </Panel>
)

/** The connections of the workspace, and the form of a new one. */
export const ConnectionsPage = (shown: Shown) => {
  const { base, connections, created, isAdmin, origin } = shown
  return (
    <>
      <Crumbs way={[["Settings", `${base}/settings/api`]]} here="Connections" />
      <Heading title="Connections">
        <Lede>
          GitHub, where Gatehouse opens, merges and reverts the pull requests of its teams and mirrors their issues.
        </Lede>
      </Heading>
      <SettingsTabs base={base} here="settings/connections" />
      {created === null ? null : <Ready created={created} origin={origin} />}
      <div class={isAdmin ? "cols" : "stack"}>
        <Panel
          id="connections"
          title="Connections"
          end={`${connections.length}`}
          footer={
            isAdmin
              ? "A team uses the connection of the host in its repository's address."
              : "Connecting and removing takes an admin."
          }
        >
          {connections.length === 0 ? (
            <Empty title="No code host is connected" icon="key">
              Teams with repositories on this machine need none.
            </Empty>
          ) : (
            <Table
              caption="Connections"
              rows={connections}
              idOf={({ id }) => `connection-${id}`}
              columns={[
                {
                  head: "Name",
                  fold: "f-start",
                  cell: ({ baseUrl, name, way }) => (
                    <>
                      <b>{name}</b>
                      <span class="sub">
                        {baseUrl}, by {way === "app" ? "an App" : "a token"}
                      </span>
                    </>
                  )
                },
                { head: "State", label: "State", cell: (one) => <State connection={one} /> },
                ...(isAdmin
                  ? [
                      {
                        head: <span class="vh">Action</span>,
                        fold: "right f-end",
                        cell: (one: Connection) => (
                          <form method="post" action={pathOf(base, one, "test")}>
                            <Button>
                              Test<span class="vh"> {one.name}</span>
                            </Button>{" "}
                            <a class="btn" href={pathOf(base, one, "renew")} aria-label={`Renew ${one.name}`}>
                              Renew
                            </a>{" "}
                            <a class="btn danger" href={pathOf(base, one, "remove")} aria-label={`Remove ${one.name}`}>
                              Remove
                            </a>
                          </form>
                        )
                      }
                    ]
                  : [])
              ]}
            />
          )}
        </Panel>
        {isAdmin ? <NewConnection {...shown} /> : null}
      </div>
    </>
  )
}

/** The form of a new secret; a reader who may not enter it reads why. */
export const RenewPage = ({
  base,
  connection,
  filled,
  isAdmin
}: {
  readonly base: string
  readonly connection: Connection
  readonly filled: Filled
  readonly isAdmin: boolean
}) => {
  const back = `${base}/settings/connections`
  const hint = "It replaces the old one, is kept encrypted and never shown again. Webhooks and bound teams stay."
  return (
    <>
      <Crumbs way={[["Connections", back]]} here={connection.name} />
      <Heading title={`Renew ${connection.name}`} />
      {isAdmin ? (
        <Panel id="renew" title={connection.way === "app" ? "New private key" : "New token"}>
          <form class="body stack" method="post" action={pathOf(base, connection, "renew")} novalidate>
            {connection.way === "app" ? (
              <TextArea name="secret" label="Private key of the App" hint={hint} filled={filled} />
            ) : (
              <Field
                name="secret"
                label="Fine-grained token"
                hint={hint}
                filled={filled}
                autocomplete="off"
                spellcheck={false}
              />
            )}
            <p class="bar">
              <Button tone="primary">Replace and test it</Button>
              <LinkButton href={back}>Keep the old one</LinkButton>
            </p>
          </form>
        </Panel>
      ) : (
        <Notice tone="info" icon="lock">
          <p>Renewing a connection takes an admin.</p>
        </Notice>
      )}
    </>
  )
}

/** The question before a connection is removed; a reader who may not do it reads why. */
export const RemoveConnectionPage = ({
  base,
  connection,
  isAdmin
}: {
  readonly base: string
  readonly connection: Connection
  readonly isAdmin: boolean
}) => {
  const back = `${base}/settings/connections`
  return (
    <>
      <Crumbs way={[["Connections", back]]} here={connection.name} />
      <Heading title={`Remove ${connection.name}?`} />
      {isAdmin ? (
        <Confirm action={pathOf(base, connection, "remove")} back={back} confirm="Remove it" keep="Keep it">
          <p>
            Its secrets are deleted here. Pull requests of its repositories are no longer opened or merged. Revoke the
            token or the App on {connection.baseUrl} too.
          </p>
        </Confirm>
      ) : (
        <Notice tone="info" icon="lock">
          <p>Removing a connection takes an admin.</p>
        </Notice>
      )}
    </>
  )
}
