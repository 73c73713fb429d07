import type { DateTime } from "effect"
import type { DecisionView } from "../../../../domain/work/Decision.ts"
import { Heading, Lede, Tabs } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Live } from "../components/Live.tsx"
import { Badge, Empty, LinkButton, Pill } from "../components/Parts.tsx"
import { TeamFilter } from "../components/TeamFilter.tsx"
import { FirstStepsNotice } from "../welcome/FirstSteps.tsx"
import { Age, TimeLeft } from "../components/Time.tsx"
import { Inline } from "./Markdown.tsx"
import { authorities, kinds } from "./DecisionWords.ts"

export const tabs = ["mine", "others", "answered", "closed"] as const
export type Tab = (typeof tabs)[number]

const names: Readonly<Record<Tab, string>> = {
  mine: "Waiting for me",
  others: "Waiting for others",
  answered: "Answered",
  closed: "Expired or withdrawn"
}

export interface ListView {
  readonly base: string
  readonly tab: Tab
  readonly team: string | null
  readonly teams: ReadonlyArray<{ readonly slug: string; readonly name: string }>
  readonly counts: Readonly<Partial<Record<Tab, number>>>
  readonly decisions: ReadonlyArray<DecisionView>
  readonly nextCursor: string | null
  readonly hasCursor: boolean
  readonly now: DateTime.Utc
}

const addressOf = (base: string, query: Readonly<Record<string, string | null>>, path = "decisions") => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === "" ? [] : [[name, value]]
  )
  return `${base}/${path}${given.length === 0 ? "" : `?${new URLSearchParams(given).toString()}`}`
}

const viewOf = (tab: Tab) => (tab === "mine" ? null : tab)

/** The state of a decision that is no longer pending. */
export const State = ({ status }: Pick<DecisionView, "status">) => {
  if (status === "pending")
    return (
      <Badge icon="person" tone="wait">
        Waits for a person
      </Badge>
    )
  if (status === "resolved")
    return (
      <Badge icon="check" tone="ok">
        Answered
      </Badge>
    )
  if (status === "expired")
    return (
      <Badge icon="clock" tone="warn">
        Expired
      </Badge>
    )
  return (
    <Badge icon="minus" tone="line">
      {status === "cancelled" ? "Withdrawn" : "Replaced"}
    </Badge>
  )
}

/** The last cell of a row, which is replaced when somebody answers. */
export const RowEnd = ({
  decision,
  isNews = false
}: {
  readonly decision: DecisionView
  readonly isNews?: boolean
}) => (
  <p class="l" id={`end-${decision.key}`} {...(isNews && { "hx-swap-oob": "true" })}>
    {decision.status === "pending" ? (
      <TimeLeft from={decision.createdAt} until={decision.expiresAt} withMeter />
    ) : (
      <State status={decision.status} />
    )}
  </p>
)

const Row = ({
  base,
  decision,
  team
}: {
  readonly base: string
  readonly decision: DecisionView
  readonly team: string
}) => {
  const chosen = decision.options.find(
    ({ id }) => id === (decision.resolution === null ? decision.recommendation : decision.resolution.optionId)
  )
  return (
    <li class="row">
      <div class="t">
        <a href={`${base}/decisions/${decision.key}`} data-row id={`row-${decision.key}`}>
          <Inline text={decision.title} />
        </a>
        <p class="meta">
          <span>{kinds[decision.kind]}</span>
          <span>{team}</span>
          {decision.story === null ? null : <span>{decision.story}</span>}
          {decision.authority === "member" ? null : (
            <span>
              <Icon name="lock" />
              {authorities[decision.authority]}
            </span>
          )}
        </p>
      </div>
      <p class="r">
        <Icon name={decision.resolution === null ? "go" : "check"} />
        <span>
          <span class="vh-wide">{decision.resolution === null ? "Recommended: " : "Chosen: "}</span>
          <b>{chosen?.label ?? ""}</b>
        </span>
      </p>
      <p class="a">
        <Age at={decision.createdAt} />
      </p>
      <RowEnd decision={decision} />
    </li>
  )
}

const empties: Readonly<Record<Tab, readonly [title: string, text: string]>> = {
  mine: [
    "Nothing waits for you",
    "When a team needs a person, the question appears here without a reload, and you get a notification."
  ],
  others: ["Nothing waits for others", "Decisions that take a role above yours are listed here."],
  answered: ["Nothing was answered yet", "Answered decisions are listed here, with who answered and what followed."],
  closed: ["Nothing expired or was withdrawn", "Decisions that ended without an answer are listed here."]
}

const Nothing = ({ base, tab, team, teams }: Pick<ListView, "base" | "tab" | "team" | "teams">) => {
  const [title, text] = empties[tab]
  if (teams.length === 0) return <FirstStepsNotice base={base} />
  if (team !== null)
    return (
      <Empty
        title={`${title} in this team`}
        acts={<LinkButton href={addressOf(base, { view: viewOf(tab) })}>Show all teams</LinkButton>}
      >
        The list shows one team only.
      </Empty>
    )
  return (
    <Empty
      title={title}
      {...(tab === "mine" && {
        acts: (
          <LinkButton tone="quiet" href={addressOf(base, { view: "answered" })}>
            What was answered
          </LinkButton>
        )
      })}
    >
      {text}
    </Empty>
  )
}

/** Number of decisions raised since the page was made. */
export const News = ({
  count,
  list,
  news
}: {
  readonly count: number
  readonly list: string
  readonly news: string
}) => (
  <Live id="news" class="end js-only" path={news} topics={["decisions"]}>
    {count === 0 ? null : (
      <Pill href={list}>
        {count === 1 ? "1 new decision. Show it" : `${count > 24 ? "25 or more" : count} new decisions. Show them`}
      </Pill>
    )}
  </Live>
)

const Filter = ({ base, tab, team, teams }: Pick<ListView, "base" | "tab" | "team" | "teams">) => (
  <TeamFilter action={`${base}/decisions`} team={team} teams={teams}>
    {tab === "mine" ? null : <input type="hidden" name="view" value={tab} />}
  </TeamFilter>
)

export const newsAddress = ({ base, decisions, now, team }: Pick<ListView, "base" | "decisions" | "now" | "team">) =>
  addressOf(
    base,
    { team, since: String(now.epochMillis), known: decisions.map(({ key }) => key).join(" ") },
    "decisions/news"
  )

export const DecisionList = (view: ListView) => {
  const { base, counts, decisions, nextCursor, tab, team, teams } = view
  const teamName = (slug: string) => teams.find((one) => one.slug === slug)?.name ?? slug
  const isWaiting = tab === "mine" || tab === "others"
  return (
    <>
      <Heading title="Decisions">
        <Lede>
          What the AI teams cannot decide without you.
          {isWaiting ? " The one that expires first is on top." : " The newest is on top."}
        </Lede>
      </Heading>
      <Tabs
        label="Which decisions"
        tabs={tabs.map((one) => ({
          name: names[one],
          href: addressOf(base, { view: viewOf(one), team }),
          isCurrent: one === tab,
          ...(counts[one] !== undefined && { count: counts[one] })
        }))}
      />
      <div class="bar">
        {teams.length > 1 ? <Filter base={base} tab={tab} team={team} teams={teams} /> : null}
        {tab === "mine" ? <News count={0} list={addressOf(base, { team })} news={newsAddress(view)} /> : null}
      </div>
      {decisions.length === 0 ? (
        <Nothing base={base} tab={tab} team={team} teams={teams} />
      ) : (
        <>
          <div class="rows-head" aria-hidden="true">
            <span>Decision</span>
            <span>{isWaiting ? "Recommended" : "Chosen or recommended"}</span>
            <span>Raised</span>
            <span>{isWaiting ? "Time left" : "State"}</span>
          </div>
          <ol class={isWaiting ? "rows waiting" : "rows"}>
            {decisions.map((decision) => (
              <Row base={base} decision={decision} team={teamName(decision.team)} />
            ))}
          </ol>
        </>
      )}
      {nextCursor === null ? null : (
        <p class="gap-top">
          <LinkButton href={addressOf(base, { view: viewOf(tab), team, cursor: nextCursor })}>
            {isWaiting ? "Later decisions" : "Older decisions"}
          </LinkButton>
        </p>
      )}
      <p class="keys js-only" hidden={decisions.length === 0}>
        <span>
          <kbd>j</kbd>
          <kbd>k</kbd> next, previous
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>?</kbd> all keys
        </span>
      </p>
    </>
  )
}
