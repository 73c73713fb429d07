import { DateTime, Redacted } from "effect"
import { type ApiToken, expiry, Lifetime, type Permission } from "../../../../domain/workspace/ApiToken.ts"
import { Confirm, Dialog } from "../components/Dialog.tsx"
import { Choices, Copy, Field, type Filled, Once } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Badge, Button, Empty, Panel } from "../components/Parts.tsx"
import { type Column, Table } from "../components/Table.tsx"
import { Age } from "../components/Time.tsx"
import { exact, format } from "../components/Times.ts"
import { useReader } from "../Reader.ts"
import { SettingsTabs } from "./SettingsTabs.tsx"

const permissionWords: Record<Permission, string> = { read: "Read", write: "Write", delete: "Delete", admin: "Admin" }

const permissionHints: Record<Permission, string> = {
  read: "Everything you can see. The audit log if you are an admin or owner",
  write: "Answer decisions",
  delete: "Reserved. Nothing can be deleted yet",
  admin: "All of the above"
}

const lifetimeWords: Record<Lifetime, string> = { "30d": "30 days", "90d": "90 days", "1y": "1 year" }

/** A date in the reader's zone. */
const Day = ({ at }: { readonly at: DateTime.Utc }) => {
  const reader = useReader()
  return (
    <time datetime={DateTime.formatIso(at)} title={exact(at, reader)}>
      {format("dateOfYear", at, reader)}
    </time>
  )
}

const day = 86_400_000
const soonDays = 14

/** The day of expiry; in words when it is near, so that a new token is made in time. */
const Expiry = ({ at }: { readonly at: DateTime.Utc }) => {
  const { now } = useReader()
  const left = at.epochMillis - now.epochMillis
  if (left <= 0)
    return (
      <Badge icon="clock" tone="warn">
        Expired
      </Badge>
    )
  if (left > soonDays * day) return <Day at={at} />
  const days = Math.floor(left / day)
  return (
    <span class="s-warn b">
      <Icon name="clock" /> {days === 0 ? "within a day" : `in ${days} ${days === 1 ? "day" : "days"}`}
    </span>
  )
}

const revokePath = (base: string, { prefix }: Pick<ApiToken, "prefix">) => `${base}/settings/api/${prefix}/revoke`

const columns = (base: string): ReadonlyArray<Column<ApiToken>> => [
  {
    head: "Name",
    fold: "f-start",
    cell: ({ name, prefix }) => (
      <>
        <b>{name}</b>
        <span class="sub mono">{prefix}…</span>
      </>
    )
  },
  {
    head: "Permissions",
    label: "Permissions",
    cell: ({ permissions }) => permissions.map((one) => permissionWords[one]).join(", ")
  },
  {
    head: "Last used",
    label: "Last used",
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? <span class="muted">Never</span> : <Age at={lastUsedAt} />)
  },
  { head: "Expires", label: "Expires", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
  {
    head: <span class="vh">Action</span>,
    fold: "right f-end",
    cell: (token) => (
      <a
        class="btn danger"
        id={`open-revoke-${token.prefix}`}
        href={revokePath(base, token)}
        data-dialog={`revoke-${token.prefix}`}
        aria-label={`Revoke ${token.name}`}
      >
        Revoke
      </a>
    )
  }
]

const Ready = ({ token }: { readonly token: NonNullable<Tokens["created"]> }) => (
  <section class="notice ok" aria-labelledby="new">
    <Icon name="check" />
    <div>
      <h2 id="new" tabindex={-1} data-focus>
        “{token.name}” is ready. Copy it now
      </h2>
      <p>
        This is the only time the value is shown. Expires <Day at={token.expiresAt} />.
      </p>
      <Copy label="Token value" value={Redacted.value(token.value)} />
      <p class="small muted">
        Send it as <code>Authorization: Bearer tk_…</code>
      </p>
    </div>
  </section>
)

const NewToken = ({ base, filled }: { readonly base: string; readonly filled: Filled }) => {
  const reader = useReader()
  return (
    <Panel id="make" title="New token">
      <form class="body stack" method="post" action={`${base}/settings/api`} novalidate>
        <Once />
        <Field
          name="name"
          label="Name"
          hint="Tells your tokens apart."
          filled={filled}
          maxLength={200}
          autocomplete="off"
        />
        <Choices
          name="permissions"
          label="Permissions"
          type="checkbox"
          filled={filled}
          options={(["read", "write", "delete", "admin"] as const).map((value) => ({
            value,
            label: permissionWords[value],
            hint: permissionHints[value]
          }))}
        />
        <p class="small muted">
          Permissions limit the REST API. A coding agent over MCP and a runner have all rights of your role, whatever is
          chosen here.
        </p>
        <Choices
          name="lifetime"
          label="Expires after"
          type="radio"
          filled={filled}
          options={Lifetime.literals.map((value) => ({
            value,
            label: lifetimeWords[value],
            hint: format("dateOfYear", expiry(reader.now, value), reader)
          }))}
        />
        <Button tone="primary wide tall">Create the token</Button>
      </form>
    </Panel>
  )
}

const Effects = () => (
  <p>Everything that uses it is refused from then on. A runner goes offline. A revoked token cannot be brought back.</p>
)

export interface Tokens {
  readonly base: string
  readonly tokens: ReadonlyArray<ApiToken>
  readonly filled: Filled
  /** A token that was just created, with its value. */
  readonly created: {
    readonly name: string
    readonly value: Redacted.Redacted
    readonly expiresAt: DateTime.Utc
  } | null
}

/** A member's own tokens, and the form of a new one. */
export const TokensPage = ({ base, created, filled, tokens }: Tokens) => {
  const { now } = useReader()
  const active = tokens.filter(({ expiresAt }) => DateTime.greaterThan(expiresAt, now)).length
  return (
    <>
      <Crumbs way={[["Settings", `${base}/settings/api`]]} here="API tokens" />
      <Heading title="API tokens">
        <Lede>
          For scripts, the MCP server and the runner. A token is yours alone and acts with your rights in this
          workspace.
        </Lede>
      </Heading>
      <SettingsTabs base={base} here="settings/api" />
      {created === null ? null : <Ready token={created} />}
      <div class="cols">
        <Panel
          id="tokens"
          title="Your tokens"
          end={`${active} active`}
          footer="Revoking takes effect at once. A runner whose token is revoked goes offline."
        >
          {tokens.length === 0 ? (
            <Empty title="You have no token yet" icon="key">
              A script that answers decisions or reads the API needs one.
            </Empty>
          ) : (
            <Table
              caption="Your tokens"
              columns={columns(base)}
              rows={tokens}
              idOf={({ prefix }) => `token-${prefix}`}
            />
          )}
        </Panel>
        <NewToken base={base} filled={filled} />
      </div>
      {tokens.map((token) => (
        <Dialog
          id={`revoke-${token.prefix}`}
          title={`Revoke “${token.name}”?`}
          action={revokePath(base, token)}
          confirm="Revoke"
          keep="Keep it"
        >
          <Effects />
        </Dialog>
      ))}
    </>
  )
}

/** The question before a token is revoked, as a page of its own. */
export const RevokePage = ({ base, token }: { readonly base: string; readonly token: ApiToken }) => (
  <>
    <Crumbs way={[["API tokens", `${base}/settings/api`]]} here={`${token.prefix}…`} />
    <Heading title={`Revoke “${token.name}”?`} />
    <Confirm action={revokePath(base, token)} back={`${base}/settings/api`} confirm="Revoke" keep="Keep it">
      <Effects />
    </Confirm>
  </>
)
