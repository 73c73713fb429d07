import { atLeast, type Role } from "../../../../domain/workspace/Member.ts"
import type { Section } from "../Page.ts"
import { Icon, type IconName } from "./Icon.tsx"
import { changed } from "./Live.tsx"

/** Data of the header and the side bar. */
export interface Shell {
  readonly base: string
  readonly workspace: string
  readonly member: { readonly id: string; readonly name: string; readonly role: Role }
  /** Other workspaces that the session opens. */
  readonly others: ReadonlyArray<{ readonly slug: string; readonly name: string }>
  readonly counts: { readonly decisions: number; readonly incidents: number; readonly unread: number }
  /** The first teams by name. */
  readonly teams: ReadonlyArray<{ readonly slug: string; readonly name: string; readonly paused: boolean }>
  /** Slug of the team that the page belongs to. */
  readonly team: string | null
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
  /** True where the header leads there, too: the bar of a phone leaves it out. */
  readonly isInHeader?: boolean
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
  { section: "notifications", path: "notifications", name: "Notifications", icon: "bell", isInHeader: true },
  { section: "settings", path: "settings/api", name: "Settings", icon: "gear" }
]

/** Counts stop at 99. */
export const shown = (count: number) => (count > 99 ? "99+" : String(count))

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
  const isAbove = entry.under !== undefined || (entry.section === "teams" && shell.team !== null)
  const current = isAbove ? "true" : "page"
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

/** The boards of teams, below the entry of all teams. */
const TeamWays = ({ shell: { base, team, teams } }: { readonly shell: Shell }) => (
  <ul>
    {teams.map(({ name, paused, slug }) => (
      <li>
        <a
          id={`nav-team-${slug}`}
          href={`${base}/teams/${slug}`}
          {...(slug === team && { "aria-current": "page" as const })}
        >
          <span>{name}</span>
          {paused ? <span class="n quiet">Paused</span> : null}
        </a>
      </li>
    ))}
  </ul>
)

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
    hx-get={`${shell.base}/navigation?section=${section ?? ""}&team=${shell.team ?? ""}`}
    hx-trigger={changed}
    data-topics="decisions incidents notifications teams"
    hx-swap="outerMorph"
  >
    <ul>
      {entries.map((entry) => (
        <li {...(entry.isInHeader && { class: "in-header" })}>
          {entry.role !== undefined && !atLeast(shell.member.role, entry.role) ? (
            <Disabled entry={entry} />
          ) : (
            <Way entry={entry} shell={shell} section={section} />
          )}
          {entry.section === "teams" && shell.teams.length > 0 ? <TeamWays shell={shell} /> : null}
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
