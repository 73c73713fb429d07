import { DateTime } from "effect"
import { Event, type RecordedEntry } from "../../../../domain/workspace/Audit.ts"
import type { Verdict } from "../../../../domain/workspace/AuditChain.ts"
import type { TeamView } from "../../../../domain/workspace/Team.ts"
import { program } from "../components/ProgramName.ts"
import { Copy, Field, Select } from "../components/Form.tsx"
import { Heading } from "../components/Heading.tsx"
import { Icon, type IconName } from "../components/Icon.tsx"
import { Badge, Button, Empty, LinkButton, Notice, type Tone } from "../components/Parts.tsx"
import { type Column, Table } from "../components/Table.tsx"
import { exact, format } from "../components/Times.ts"
import { useReader } from "../Reader.ts"
import { type Asked, names } from "./AuditFilters.ts"
import { channelOf, detailWords, eventWords, pathOf } from "./EntryWords.ts"

/** Outcome of checking the chain: not asked for, or longer than a page may take. */
export type Checked = Verdict | "not asked" | "too long"

export interface Log {
  readonly base: string
  readonly workspace: string
  readonly asked: Asked
  readonly teams: ReadonlyArray<Pick<TeamView, "slug" | "name">>
  readonly entries: ReadonlyArray<RecordedEntry>
  readonly nextCursor: string | null
  readonly isLaterPage: boolean
  /** Number of the newest entry; numbers have no gaps. */
  readonly size: bigint
  readonly checked: Checked
}

const actors: Readonly<
  Record<RecordedEntry["actor"]["type"], { readonly icon: IconName; readonly word: string | null }>
> = {
  human: { icon: "person", word: null },
  service: { icon: "run", word: "Gatehouse" },
  system: { icon: "gear", word: "System" }
}

const results: Readonly<Record<string, { readonly icon: IconName; readonly tone: Tone; readonly word: string }>> = {
  success: { icon: "check", tone: "ok", word: "Success" },
  denied: { icon: "lock", tone: "bad", word: "Denied" },
  failure: { icon: "x", tone: "bad", word: "Failure" },
  partial: { icon: "warn", tone: "warn", word: "Partial" }
}

const Moment = ({ at }: { readonly at: DateTime.Utc }) => {
  const reader = useReader()
  return (
    <time datetime={DateTime.formatIso(at)} title={exact(at, reader)}>
      {format("date", at, reader)} {format("second", at, reader)}
    </time>
  )
}

const What = ({ base, entry }: { readonly base: string; readonly entry: RecordedEntry }) => {
  const path = pathOf(entry)
  const { id, name, type } = entry.entity
  const words = detailWords(entry)
  const label = type === "decision" || type === "incident" || type === "story" ? `${id}: ${name}` : name
  return (
    <>
      <b>{eventWords(entry.event)}</b>
      <span class="sub">{path === null ? label : <a href={`${base}/${path}`}>{label}</a>}</span>
      {words === null ? null : <span class="sub">{words}</span>}
      <details class="small">
        <summary>
          Details
          <span class="vh">
            {" "}
            of {eventWords(entry.event)}, {entry.id}
          </span>
        </summary>
        <pre class="code" tabindex={0}>
          {JSON.stringify(entry.details, null, 2)}
        </pre>
      </details>
    </>
  )
}

const columns = (base: string, teams: ReadonlyMap<string, string>): ReadonlyArray<Column<RecordedEntry>> => [
  { head: "Time", fold: "nowrap num f-end", cell: ({ timestamp }) => <Moment at={timestamp} /> },
  {
    head: "Who",
    fold: "f-start",
    cell: ({ actor }) => (
      <>
        <Icon name={actors[actor.type].icon} /> {actors[actor.type].word ?? actor.name}
      </>
    )
  },
  { head: "Event", cell: (entry) => <What base={base} entry={entry} /> },
  {
    head: "Where",
    fold: "f-start3",
    cell: ({ runKey, team }) => (
      <>
        {team === null ? (runKey === null ? "–" : null) : (teams.get(team) ?? team)}
        {team !== null && runKey !== null ? ", " : null}
        {runKey === null ? null : <a href={`${base}/runs/${runKey}`}>{runKey}</a>}
      </>
    )
  },
  { head: "Through", fold: "f-hide", cell: channelOf },
  {
    head: "Result",
    fold: "f-end2",
    cell: ({ result }) => {
      const { icon, tone, word } = results[result] ?? { icon: "more", tone: "", word: result }
      return (
        <Badge icon={icon} tone={tone}>
          {word}
        </Badge>
      )
    }
  }
]

const Chain = ({ base, checked, size, workspace }: Log) => {
  if (checked === "too long")
    return (
      <Notice tone="warn" isAlert>
        <h2>The log is too long to check on a page</h2>
        <p>The operator checks every entry with this command:</p>
        <Copy label="Command that checks the chain" value={`${program} audit verify --workspace ${workspace}`} />
      </Notice>
    )
  if (checked !== "not asked" && checked.firstBad !== null)
    return (
      <Notice tone="bad" isAlert>
        <h2>The chain is broken</h2>
        <p>
          Entry {checked.firstBad.toLocaleString("en")} is the first that is not what was written. All{" "}
          {checked.entries.toLocaleString("en")} before it hold.
        </p>
      </Notice>
    )
  return (
    <form class="meta" method="post" action={`${base}/audit/check`}>
      {checked === "not asked" ? null : (
        <span role="status">
          <Badge icon="link" tone="ok">
            Chain intact
          </Badge>
        </span>
      )}
      <span class="num">{size.toLocaleString("en")} entries</span>
      {checked === "not asked" ? null : <span>all checked just now</span>}
      <Button tone="quiet" icon="link">
        Check the chain
      </Button>
    </form>
  )
}

const Hidden = ({ asked: { filled } }: Pick<Log, "asked">) => (
  <>
    {names.map((name) =>
      (filled.values[name] ?? "") === "" ? null : <input type="hidden" name={name} value={filled.values[name]} />
    )}
  </>
)

const isFiltered = ({ filled }: Asked) => names.some((name) => (filled.values[name] ?? "") !== "")

const addressOf = ({ asked, base }: Log, cursor: string) => {
  const query = new URLSearchParams(names.map((name) => [name, asked.filled.values[name] ?? ""]))
  for (const name of names) if (query.get(name) === "") query.delete(name)
  query.set("cursor", cursor)
  return `${base}/audit?${query.toString()}`
}

const Filters = (log: Log) => {
  const { asked, base, entries, isLaterPage, nextCursor, teams } = log
  const { zone } = useReader()
  const team = asked.filled.values["team"] ?? ""
  const isKnown = team === "" || teams.some(({ slug }) => slug === team)
  const found = `${entries.length} ${entries.length === 1 ? "entry" : "entries"}${nextCursor === null && !isLaterPage ? "" : " on this page"}`
  return (
    <form class="panel" method="get" action={`${base}/audit`} aria-label="Filter the log">
      <div class="body fields tight">
        <Select
          name="event"
          label="Event"
          filled={asked.filled}
          options={[
            { value: "", label: "All events" },
            ...Event.literals
              .map((value) => ({ value, label: eventWords(value) }))
              .toSorted((one, other) => (one.label < other.label ? -1 : 1))
          ]}
        />
        <Select
          name="actor"
          label="Who"
          filled={asked.filled}
          options={[
            { value: "", label: "Anyone" },
            { value: "human", label: "People" },
            { value: "service", label: "Gatehouse" },
            { value: "system", label: "System" }
          ]}
        />
        <Select
          name="team"
          label="Team"
          filled={asked.filled}
          options={[
            { value: "", label: "All teams" },
            ...teams.map(({ name, slug }) => ({ value: slug, label: name })),
            ...(isKnown ? [] : [{ value: team, label: `${team} (deleted)` }])
          ]}
        />
        <Field name="run" label="Run" filled={asked.filled} placeholder="run-…" autocomplete="off" spellcheck={false} />
        <Field name="from" label="From" type="date" filled={asked.filled} />
        <Field name="to" label="To" type="date" filled={asked.filled} />
        <div class="field full">
          <span class="label gap" aria-hidden="true">
            &nbsp;
          </span>
          <Button tone="primary">Filter</Button>
        </div>
      </div>
      <footer class="bar">
        <span role="status">{found}.</span>
        <span>Days are those of {zone.id}.</span>
        {isFiltered(asked) ? <a href={`${base}/audit`}>Clear the filters</a> : null}
      </footer>
    </form>
  )
}

/** The entries of the log, newest first, with filters, exports and the state of the chain. */
export const AuditPage = (log: Log) => {
  const { asked, base, entries, nextCursor, teams } = log
  return (
    <>
      <Heading
        title="Audit log"
        actions={
          <form class="bar" method="post" action={`${base}/audit/export`}>
            <Hidden asked={asked} />
            <Button name="format" value="csv" icon="down">
              Export CSV
            </Button>
            <Button name="format" value="json" icon="down">
              Export JSON
            </Button>
          </form>
        }
      >
        <Chain {...log} />
      </Heading>
      <Filters {...log} />
      <section class="panel gap-top" aria-label="Entries">
        {entries.length === 0 ? (
          <Empty
            title="No entries for these filters"
            icon="log"
            acts={<LinkButton href={`${base}/audit`}>Clear the filters</LinkButton>}
          >
            Everything that people, Gatehouse and the system changed is here, and nothing matches.
          </Empty>
        ) : (
          <Table
            caption="Entries, newest first"
            columns={columns(base, new Map(teams.map(({ name, slug }) => [slug, name])))}
            rows={entries}
            idOf={({ id }) => `entry-${id}`}
          />
        )}
        {nextCursor === null ? null : (
          <footer>
            <LinkButton href={addressOf(log, nextCursor)}>Older entries</LinkButton>
          </footer>
        )}
      </section>
      <p class="small muted gap-top">An export holds the newest 5,000 entries that match, and is itself in the log.</p>
    </>
  )
}
