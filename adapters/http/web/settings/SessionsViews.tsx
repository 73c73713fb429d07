import type { Role } from "../../../../domain/workspace/Member.ts"
import type { Passkey } from "../../../../domain/workspace/Passkey.ts"
import type { Session } from "../../../../domain/workspace/Session.ts"
import { Field } from "../components/Form.tsx"
import { Heading, Lede } from "../components/Heading.tsx"
import { Badge, Button, Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { Age } from "../components/Time.tsx"
import type { Reader } from "../Reader.ts"
import { Appearance } from "./Appearance.tsx"
import { SettingsTabs } from "./SettingsTabs.tsx"

interface Listed {
  readonly session: Session
  readonly isOwn: boolean
}

interface SessionsProps {
  readonly base: string
  readonly reader: Reader
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly sessions: ReadonlyArray<Listed>
  readonly passkeys: ReadonlyArray<Passkey>
  /** False where browsers offer no passkeys. */
  readonly hasPasskeys: boolean
}

const methods: Readonly<Record<Session["method"], string>> = {
  link: "link",
  passkey: "passkey",
  openid: "OpenID Connect"
}

const EndForm = ({
  base,
  children,
  session
}: {
  readonly base: string
  readonly session: string
  readonly children: string
}) => (
  <form method="post" action={`${base}/settings/sessions`}>
    <input type="hidden" name="session" value={session} />
    <Button tone="danger">{children}</Button>
  </form>
)

const SessionsPanel = ({ base, sessions }: Pick<SessionsProps, "base" | "sessions">) => (
  <Panel
    id="sessions"
    title="Where you are signed in"
    footer={
      sessions.length > 1 ? (
        <EndForm base={base} session="others">
          Sign out everywhere else
        </EndForm>
      ) : null
    }
  >
    <Table<Listed>
      caption="Sessions"
      rows={sessions}
      idOf={({ session }) => `session-${session.id}`}
      columns={[
        {
          head: "Browser",
          fold: "f-start",
          cell: ({ isOwn, session }) => (
            <>
              {session.userAgent}{" "}
              {isOwn ? (
                <Badge icon="check" tone="ok">
                  This one
                </Badge>
              ) : null}
              <span class="sub">by {methods[session.method]}</span>
            </>
          )
        },
        { head: "Address", label: "Address", cell: ({ session }) => session.address },
        { head: "Last used", label: "Last used", cell: ({ session }) => <Age at={session.lastSeenAt} /> },
        { head: "Signed in", label: "Signed in", cell: ({ session }) => <Age at={session.createdAt} /> },
        {
          head: <span class="vh">Action</span>,
          fold: "right f-end",
          cell: ({ session }) => (
            <EndForm base={base} session={session.id}>
              Sign out
            </EndForm>
          )
        }
      ]}
    />
  </Panel>
)

/** Added by the page's script, which asks the browser for a passkey. */
const AddPasskey = ({ base }: Pick<SessionsProps, "base">) => (
  <form class="body stack js-only" data-passkey-add={`${base}/settings/passkeys`} hidden>
    <Field name="label" label="Name of the new passkey" maxLength={60} hint="Such as the device it is on." />
    <p class="error" role="alert" hidden />
    <p>
      <Button icon="key">Add a passkey</Button>
    </p>
  </form>
)

const PasskeysPanel = ({ base, hasPasskeys, passkeys }: Pick<SessionsProps, "base" | "hasPasskeys" | "passkeys">) => (
  <Panel id="passkeys" title="Passkeys">
    {passkeys.length === 0 ? (
      <p class="body muted">
        {hasPasskeys
          ? "You have none yet. With a passkey you sign in without a link."
          : "Browsers offer passkeys at https addresses and at http://localhost only."}
      </p>
    ) : (
      <Table<Passkey>
        caption="Passkeys"
        rows={passkeys}
        idOf={({ id }) => `passkey-${id}`}
        columns={[
          { head: "Name", fold: "f-start", cell: ({ label }) => label },
          {
            head: "Last used",
            label: "Last used",
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Age at={lastUsedAt} />)
          },
          { head: "Added", label: "Added", cell: ({ createdAt }) => <Age at={createdAt} /> },
          {
            head: <span class="vh">Action</span>,
            fold: "right f-end",
            cell: ({ id }) => (
              <form method="post" action={`${base}/settings/passkeys/remove`}>
                <input type="hidden" name="passkey" value={id} />
                <Button tone="danger">Remove</Button>
              </form>
            )
          }
        ]}
      />
    )}
    {hasPasskeys ? <AddPasskey base={base} /> : null}
  </Panel>
)

export const SessionsView = (view: SessionsProps) => (
  <>
    <Heading
      title="Your account"
      actions={
        <form method="post" action="/sign-out">
          <Button>Sign out</Button>
        </form>
      }
    >
      <Lede>
        {view.name}, {view.email}, {view.role} of this workspace.
      </Lede>
    </Heading>
    <SettingsTabs base={view.base} here="settings/sessions" />
    <div class="stack wide">
      <SessionsPanel {...view} />
      <PasskeysPanel {...view} />
      <Appearance base={view.base} reader={view.reader} />
    </div>
  </>
)
