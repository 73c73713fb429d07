import type { ComponentChildren, JSX } from "preact"
import { renderToString } from "preact-render-to-string"
import { atLeast, type Role } from "../../../../domain/workspace/Member.ts"
import { assets } from "../Assets.ts"
import type { Section } from "../Page.ts"
import { type Reader, ReaderContext } from "../Reader.ts"
import { Icon, type IconName, Mark, Sprite } from "./Icon.tsx"
import { KeysDialog, SearchWay } from "./KeysDialog.tsx"
import { changed } from "./Live.tsx"
import { Avatar, Toast } from "./Parts.tsx"

/** Data of the header and the side bar. */
export interface Shell {
  readonly base: string
  readonly workspace: string
  readonly member: { readonly name: string; readonly role: Role }
  /** Other workspaces that the session opens. */
  readonly others: ReadonlyArray<{ readonly slug: string; readonly name: string }>
  readonly counts: { readonly decisions: number; readonly incidents: number; readonly unread: number }
  /** Confirms what the person did before the page. */
  readonly confirmation: string | null
  /** Address of the page's live stream. */
  readonly live: string
  /** Position in the change feed that the page shows. */
  readonly after: string
}

interface Entry {
  readonly section: Section
  readonly path: string
  readonly name: string
  readonly icon: IconName
  readonly count?: (shell: Shell) => number
  /** Words after the count, for screen readers. */
  readonly counted?: string
  /** Pages of the section, below its entry. */
  readonly under?: ReadonlyArray<Pick<Entry, "section" | "path" | "name" | "count" | "counted">>
  /** The entry is disabled for everybody below this role. */
  readonly role?: Role
}

const openIncidents: Pick<Entry, "section" | "path" | "count" | "counted"> = {
  section: "incidents",
  path: "incidents",
  count: ({ counts }) => counts.incidents,
  counted: "open"
}

const entries: ReadonlyArray<Entry> = [
  {
    section: "decisions",
    path: "decisions",
    name: "Decisions",
    icon: "inbox",
    count: ({ counts }) => counts.decisions,
    counted: "waiting for you"
  },
  { section: "teams", path: "teams", name: "Teams", icon: "board" },
  {
    ...openIncidents,
    name: "On-call",
    icon: "siren",
    under: [
      { ...openIncidents, name: "Incidents" },
      { section: "services", path: "services", name: "Services" },
      { section: "sources", path: "sources", name: "Sources" }
    ]
  },
  { section: "audit", path: "audit", name: "Audit", icon: "log", role: "admin" },
  { section: "notifications", path: "notifications", name: "Notifications", icon: "bell" },
  { section: "settings", path: "settings/api", name: "Settings", icon: "gear" }
]

/** Counts stop at 99. */
const shown = (count: number) => (count > 99 ? "99+" : String(count))

/** True for the entry of a page, and for the entry above it. */
const isHere = ({ section, under }: Pick<Entry, "section" | "under">, here: Section | null) =>
  section === here || under?.some((page) => page.section === here) === true

const Way = ({
  entry,
  isUnder = false,
  section,
  shell
}: {
  readonly entry: Omit<Entry, "icon"> & { readonly icon?: IconName }
  readonly shell: Shell
  readonly section: Section | null
  readonly isUnder?: boolean
}) => {
  const count = entry.count?.(shell) ?? 0
  const current = entry.under === undefined ? "page" : "true"
  return (
    <a
      id={`nav-${isUnder ? "page-" : ""}${entry.section}`}
      href={`${shell.base}/${entry.path}`}
      {...(isHere(entry, section) && { "aria-current": current as "page" | "true" })}
    >
      {entry.icon === undefined ? null : <Icon name={entry.icon} />}
      <span>{entry.name}</span>
      {count > 0 ? (
        <span class="n">
          {shown(count)}
          <span class="vh"> {entry.counted}</span>
        </span>
      ) : null}
    </a>
  )
}

/** An entry that the reader's role does not open, with the reason. */
const Disabled = ({ entry: { icon, name, role, section } }: { readonly entry: Entry }) => (
  <a id={`nav-${section}`} role="link" aria-disabled="true" tabindex={0} title={`This takes the role ${role}`}>
    <Icon name={icon} />
    <span>{name}</span>
    <span class="vh">, takes the role {role}</span>
  </a>
)

/** The side bar; below it is whether the page is live. */
export const Navigation = ({ section, shell }: { readonly shell: Shell; readonly section: Section | null }) => (
  <nav
    class="nav"
    id="nav"
    aria-label="Main"
    hx-get={`${shell.base}/navigation?section=${section ?? ""}`}
    hx-trigger={changed}
    data-topics="decisions incidents notifications"
    hx-swap="outerMorph"
  >
    <ul>
      {entries.map((entry) => (
        <li>
          {entry.role !== undefined && !atLeast(shell.member.role, entry.role) ? (
            <Disabled entry={entry} />
          ) : (
            <Way entry={entry} shell={shell} section={section} />
          )}
          {entry.under === undefined ? null : (
            <ul>
              {entry.under.map((page) => (
                <li>
                  <Way entry={page} shell={shell} section={section} isUnder />
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
    <p class="nav-foot js-only" data-live-state hx-morph-skip="">
      <span class="s-ok" data-live-icon>
        <Icon name="check" />
      </span>
      <span data-live-words>Live</span>
    </p>
  </nav>
)

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

/** A whole page of a workspace. */
export const page = (reader: Reader, shell: Shell, title: string, section: Section | null, content: JSX.Element) =>
  html(
    reader,
    <Head title={title} />,
    <body data-stream={shell.live} data-after={shell.after} {...(reader.hasKeys && { "data-keys": "" })}>
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
      <div class="toasts" id="toasts" role="status" aria-live="polite">
        <div class="toast" id="signed-out" hidden>
          <Icon name="lock" />
          <p>
            You were signed out. <a href="/sign-in">Sign in</a>, and what you typed is still here.
          </p>
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
