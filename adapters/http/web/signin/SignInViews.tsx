import type { ComponentChildren } from "preact"
import { Field, type Filled, unfilled } from "../components/Form.tsx"
import { Button, Notice } from "../components/Parts.tsx"

/** Hidden until the page's script finds that the browser has passkeys. */
const PasskeyButton = ({ isFirst, to }: { readonly to: string; readonly isFirst: boolean }) => (
  <div class="stack js-only" data-passkey-sign-in data-to={to} hidden>
    <button class={`btn ${isFirst ? "primary " : ""}wide tall`} type="button">
      Sign in with a passkey
    </button>
    <p class="error" role="alert" hidden />
  </div>
)

export interface SignInView {
  /** Path to go to afterwards; empty for the first page. */
  readonly to: string
  readonly canMail: boolean
  readonly hasPasskeys: boolean
  /** Host of the OpenID Connect provider, if one is set. */
  readonly provider: string | null
  readonly notice: ComponentChildren
  readonly filled?: Filled
}

export const SignInForm = ({ canMail, filled = unfilled, hasPasskeys, notice, provider, to }: SignInView) => (
  <>
    {notice}
    <div data-kept hidden>
      <Notice tone="info">
        <p>Nothing was saved; your text is kept in this browser.</p>
      </Notice>
    </div>
    {provider === null ? null : (
      <a class="btn primary wide tall" href="/sign-in/openid">
        Sign in with {provider}
      </a>
    )}
    {hasPasskeys ? <PasskeyButton to={to} isFirst={provider === null} /> : null}
    {canMail ? (
      <form method="post" action="/sign-in" class="stack">
        <Field
          name="email"
          label="Your e-mail address"
          type="email"
          autocomplete="username"
          required
          filled={filled}
          hint="If it belongs to a member, a link is on its way in a moment. It works once, for 15 minutes."
        />
        <Button tone="wide tall">Mail me a sign-in link</Button>
      </form>
    ) : null}
    <form method="post" action="/sign-in/link" class="stack">
      <Field
        name="link"
        label="Sign-in link"
        autocomplete="one-time-code"
        placeholder="https://…/sign-in/…"
        filled={filled}
        spellcheck={false}
        hint={
          <>
            An operator makes one with <code>gatehouse member sign-in-link</code>. You can add a passkey right after.
          </>
        }
      />
      <Button tone="wide tall">Use the link</Button>
    </form>
  </>
)

/** Only the press of the button uses the link: scanners of mails open links, too. */
export const LinkForm = ({
  action,
  email,
  workspace
}: {
  readonly action: string
  readonly email: string
  readonly workspace: string | null
}) => (
  <form method="post" action={action} class="stack">
    <p>
      You sign in as <b>{email}</b>
      {workspace === null ? "" : " to "}
      {workspace === null ? null : <b>{workspace}</b>}.
    </p>
    <Button tone="primary wide tall">Sign in</Button>
    <p class="small muted">The link works once. If you did not ask for it, close this page; nothing happens.</p>
  </form>
)

export const SignOutForm = () => (
  <form method="post" action="/sign-out" class="stack">
    <p>You are signed in on this browser.</p>
    <Button tone="primary wide tall">Sign out</Button>
  </form>
)

export const problem = (message: string) => (
  <Notice tone="bad" isAlert>
    <p>{message}</p>
  </Notice>
)
