import type { Connection } from "../../../../domain/connection/Connection.ts"
import { Field, type Filled } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { Button, Notice, Panel } from "../components/Parts.tsx"
import { SettingsTabs } from "../settings/SettingsTabs.tsx"
import { HostFields } from "./ConnectionViews.tsx"

interface Shown {
  readonly base: string
  readonly isAdmin: boolean
  readonly filled: Filled
  /** The form that GitHub takes; null while the organisation is asked for. */
  readonly manifest: { readonly action: string; readonly manifest: string } | null
}

const Top = ({ base }: { readonly base: string }) => (
  <>
    <Crumbs way={[["Connections", `${base}/settings/connections`]]} here="App" />
    <Heading title="Connect GitHub by an App">
      <Lede>GitHub creates an App of your own, with the permissions that Gatehouse needs and nothing else.</Lede>
    </Heading>
    <SettingsTabs base={base} here="settings/connections" />
  </>
)

const Where = ({ base, filled }: Shown) => (
  <Panel id="where" title="Where GitHub creates it">
    <form class="body stack" method="get" action={`${base}/settings/connections/app`} novalidate>
      <HostFields filled={filled} />
      <Field
        name="organisation"
        label="Organisation"
        hint="As in its address on GitHub. Leave it empty to create the App in your own account."
        filled={filled}
        maxLength={100}
        autocomplete="off"
        spellcheck={false}
      />
      <p>
        <Button tone="primary">Continue</Button>
      </p>
    </form>
  </Panel>
)

const Send = ({ filled, manifest }: Shown) => (
  <Panel id="send" title="Create it on GitHub">
    <form class="body stack" method="post" action={manifest?.action ?? ""}>
      <input type="hidden" name="manifest" value={manifest?.manifest ?? ""} />
      <p>
        {filled.values["baseUrl"]} shows the App and asks you to create it
        {filled.values["organisation"] ? ` for ${filled.values["organisation"]}` : ""}. You come back here afterwards.
      </p>
      <p>
        <Button tone="primary">Create the App on GitHub</Button>
      </p>
    </form>
  </Panel>
)

/** Creates a GitHub App from a manifest. */
export const AppPage = (shown: Shown) => (
  <>
    <Top base={shown.base} />
    {shown.isAdmin ? (
      shown.manifest === null ? (
        <Where {...shown} />
      ) : (
        <Send {...shown} />
      )
    ) : (
      <Notice tone="info" icon="lock">
        <p>Connecting a code host takes an admin.</p>
      </Notice>
    )}
  </>
)

/** The App exists; its installation is the last step. */
export const CreatedPage = ({
  base,
  connection,
  install
}: {
  readonly base: string
  readonly connection: Connection
  readonly install: string
}) => (
  <>
    <Top base={base} />
    <Panel id="install" title={`The App of “${connection.name}” is created`}>
      <div class="body stack">
        <p>Install it on GitHub and choose the repositories of your teams. Then test the connection.</p>
        <p>
          <a class="btn primary" href={install} rel="noreferrer">
            Install it on GitHub
          </a>
        </p>
        <form method="post" action={`${base}/settings/connections/${connection.id}/test`}>
          <Button>Test the connection</Button>
        </form>
      </div>
    </Panel>
  </>
)
