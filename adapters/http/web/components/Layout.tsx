import type { ComponentChildren, JSX } from "preact"
import { renderToString } from "preact-render-to-string"
import { assets } from "../Assets.ts"
import type { Section } from "../Page.ts"
import { type Reader, ReaderContext } from "../Reader.ts"
import { Icon, Mark, Sprite } from "./Icon.tsx"
import { KeysDialog, SearchWay } from "./KeysDialog.tsx"
import { Navigation, type Shell, shown } from "./Navigation.tsx"
import { Avatar, Toast } from "./Parts.tsx"

/** Notifications with the number of unread ones; as news it replaces the one on the page. */
export const Bell = ({
  base,
  isNews = false,
  unread
}: {
  readonly base: string
  readonly unread: number
  readonly isNews?: boolean
}) => (
  <a
    class="icon-btn"
    id="bell"
    href={`${base}/notifications`}
    aria-label={`Notifications${unread > 0 ? `, ${shown(unread)} unread` : ""}`}
    {...(isNews && { "hx-swap-oob": "true" })}
  >
    <Icon name="bell" />
    {unread > 0 ? (
      <span class="dot" aria-hidden="true">
        {shown(unread)}
      </span>
    ) : null}
  </a>
)

const Header = ({ shell }: { readonly shell: Shell }) => {
  const { base, counts, member, others, workspace } = shell
  return (
    <header class="top">
      <a class="brand" href={`${base}/decisions`}>
        <Mark />
        <span>
          Gatehouse<small>{workspace}</small>
        </span>
      </a>
      <div class="top-end">
        {others.length > 0 ? (
          <details class="switch">
            <summary class="icon-btn" aria-label="Other workspaces">
              <Icon name="down" />
            </summary>
            <ul class="menu">
              {others.map(({ name, slug }) => (
                <li>
                  <a href={`/${slug}/decisions`}>{name}</a>
                </li>
              ))}
            </ul>
          </details>
        ) : null}
        <SearchWay base={base} />
        <Bell base={base} unread={counts.unread} />
        <a class="icon-btn" href={`${base}/settings/sessions`}>
          <Avatar name={member.name} />
          <span class="vh">{`Your account: ${member.name}, ${member.role}`}</span>
        </a>
      </div>
    </header>
  )
}

const htmxConfig = "includeIndicatorCSS:false, history:false, defaultTimeout:10000"

const Head = ({ title }: { readonly title: string }) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="htmx-config" content={htmxConfig} />
    <title>{`${title} · Gatehouse`}</title>
    <link rel="icon" type="image/svg+xml" href={assets.icon} />
    <link rel="stylesheet" href={assets.style} />
    <script src={assets.htmx} defer />
    <script src={assets.script} defer />
  </head>
)

const html = (reader: Reader, head: JSX.Element, body: JSX.Element) =>
  `<!doctype html>${renderToString(
    <ReaderContext.Provider value={reader}>
      <html lang="en" {...(reader.theme && { "data-theme": reader.theme })}>
        {head}
        {body}
      </html>
    </ReaderContext.Provider>
  )}`

/** Shows the words of an answer that is an error; a script fills it in. */
const Trouble = () => (
  <div role="alert">
    <div class="toast" id="trouble" hidden>
      <span class="s-bad">
        <Icon name="warn" />
      </span>
      <p>
        <strong /> <span /> <a hidden />
      </p>
      <button class="icon-btn" type="button" aria-label="Dismiss" data-dismiss>
        <Icon name="x" />
      </button>
    </div>
  </div>
)

/** A whole page of a workspace. */
export const page = (reader: Reader, shell: Shell, title: string, section: Section | null, content: JSX.Element) =>
  html(
    reader,
    <Head title={title} />,
    <body
      data-stream={shell.live}
      data-after={shell.after}
      data-reader={shell.member.id}
      {...(reader.hasKeys && { "data-keys": "" })}
    >
      <Sprite />
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="app">
        <Header shell={shell} />
        <Navigation shell={shell} section={section} />
        <main class="main" id="main" tabindex={-1}>
          {shell.confirmation === null ? null : <Toast>{shell.confirmation}</Toast>}
          {content}
        </main>
      </div>
      <KeysDialog />
      <div class="toasts">
        <Trouble />
        <div id="toasts" role="status" aria-live="polite">
          <div class="toast" id="signed-out" hidden>
            <Icon name="lock" />
            <p>
              You were signed out. <a href="/sign-in">Sign in</a>, and what you typed is still here.
            </p>
          </div>
        </div>
      </div>
    </body>
  )

/** Elements without any layout, for a request that replaces parts of the page. */
export const fragment = (reader: Reader, content: JSX.Element) =>
  renderToString(<ReaderContext.Provider value={reader}>{content}</ReaderContext.Provider>)

/** A page without a workspace: signing in, and errors for people who are not signed in. */
export const gate = (reader: Reader, title: string, content: ComponentChildren) =>
  html(
    reader,
    <Head title={title} />,
    <body>
      <Sprite />
      <div class="gate">
        <main id="main">
          <div>
            <Mark />
            <h1>{title}</h1>
          </div>
          {content}
        </main>
        <footer class="small muted">This page loads nothing from other hosts.</footer>
      </div>
    </body>
  )
