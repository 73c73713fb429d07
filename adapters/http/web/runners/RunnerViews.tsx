import { type DateTime, Redacted } from "effect"
import type { RunnerView } from "../../../../application/ports/runner/RunnerStore.ts"
import { Lifetime } from "../../../../domain/workspace/ApiToken.ts"
import { Confirm, Dialog } from "../components/Dialog.tsx"
import { Copy, Field, type Filled, Select, Once } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Live } from "../components/Live.tsx"
import { Badge, Button, Empty, Panel } from "../components/Parts.tsx"
import { type Column, Table } from "../components/Table.tsx"
import { Age } from "../components/Time.tsx"
import { format } from "../components/Times.ts"
import { useReader } from "../Reader.ts"
import { stages } from "../runs/RunWords.ts"
import { SettingsTabs } from "../settings/SettingsTabs.tsx"
import { type Agent, agents, startLine } from "./StartLine.ts"

export interface Runners {
  readonly base: string
  readonly origin: string
  readonly runners: ReadonlyArray<RunnerView>
  /** True for admins, who drain and remove runners. */
  readonly mayManage: boolean
  readonly filled: Filled
  /** A token that was just created for a runner. */
  readonly created: {
    readonly value: Redacted.Redacted
    readonly expiresAt: DateTime.Utc
    readonly agent: Agent
  } | null
}

const lifetimes: Readonly<Record<Lifetime, string>> = { "30d": "30 days", "90d": "90 days", "1y": "1 year" }

const State = ({ drainingAt, offlineAt }: Pick<RunnerView, "drainingAt" | "offlineAt">) => {
  if (offlineAt !== null)
    return (
      <Badge icon="minus" tone="line">
        Offline
      </Badge>
    )
  return drainingAt === null ? (
    <Badge icon="check" tone="ok">
      Online
    </Badge>
  ) : (
    <Badge icon="pause" tone="wait">
      Draining
    </Badge>
  )
}

export type Act = "drain" | "remove"

const pathOf = (base: string, act: Act, { id }: Pick<RunnerView, "id">) => `${base}/settings/runners/${id}/${act}`

const acts: Readonly<Record<Act, { readonly verb: string; readonly tone: string }>> = {
  drain: { verb: "Drain", tone: "quiet" },
  remove: { verb: "Remove", tone: "danger" }
}

/** Acts that a runner takes now. */
const offered = ({ drainingAt, offlineAt }: RunnerView): ReadonlyArray<Act> =>
  offlineAt === null && drainingAt === null ? ["drain", "remove"] : ["remove"]

const columns = ({ base, mayManage }: Runners): ReadonlyArray<Column<RunnerView>> => [
  {
    head: "Runner",
    fold: "f-start",
    cell: ({ arch, name, os, version }) => (
      <>
        <b>{name}</b>
        <span class="sub">
          {version}, {os} {arch}
        </span>
      </>
    )
  },
  {
    head: "State",
    label: "State",
    cell: ({ drainingAt, lastSeenAt, offlineAt }) => (
      <span>
        <State drainingAt={drainingAt} offlineAt={offlineAt} />
        <span class="sub">
          seen <Age at={lastSeenAt} />
        </span>
      </span>
    )
  },
  {
    head: "Works on",
    label: "Works on",
    cell: ({ runs, slots }) => (
      <span>
        {runs.length === 0 ? <span class="muted">Nothing</span> : null}
        {runs.map(({ key, stage, story }) => (
          <span class="sub">
            <a href={`${base}/runs/${key}`}>{story}</a> {stages[stage].toLowerCase()}
          </span>
        ))}
        <span class="sub">
          {runs.length} of {slots} at a time
        </span>
      </span>
    )
  },
  {
    head: "Agents and teams",
    label: "Agents",
    cell: ({ executors, teams }) => (
      <span>
        {executors.map(({ name, version }) => (version === null ? name : `${name} ${version}`)).join(", ")}
        {executors.some(({ lacksKey }) => lacksKey) ? (
          <span class="sub">
            <Badge icon="warn" tone="warn">
              No model key
            </Badge>{" "}
            {executors.flatMap(({ lacksKey, name }) => (lacksKey ? [name] : [])).join(", ")}: its runs fail.{" "}
            <code>runner doctor</code> on its machine says how to set it.
          </span>
        ) : null}
        <span class="sub">{teams.length === 0 ? "All teams" : teams.join(", ")}</span>
      </span>
    )
  },
  ...(mayManage
    ? [
        {
          head: <span class="vh">Action</span>,
          fold: "right f-end",
          cell: (runner: RunnerView) =>
            offered(runner).map((act) => (
              <a
                class={`btn ${acts[act].tone}`}
                id={`open-${act}-${runner.id}`}
                href={pathOf(base, act, runner)}
                data-dialog={`${act}-${runner.id}`}
                aria-label={`${acts[act].verb} ${runner.name}`}
              >
                {acts[act].verb}
              </a>
            ))
        }
      ]
    : [])
]

const Ready = ({ created, origin }: { readonly created: NonNullable<Runners["created"]>; readonly origin: string }) => {
  const reader = useReader()
  return (
    <section class="notice ok" aria-labelledby="new">
      <Icon name="check" />
      <div>
        <h2 id="new" tabindex={-1} data-focus>
          The line is ready. Copy it now
        </h2>
        <p>
          This is the only time its token is shown. It expires on {format("dateOfYear", created.expiresAt, reader)}.
        </p>
        <Copy
          label="Line that starts a runner"
          value={startLine(origin, Redacted.value(created.value), created.agent)}
        />
        <p class="small muted">
          Run it in the folder of Gatehouse on the machine where agents work. {agents[created.agent].hint}{" "}
          <code>node dist/main.js runner doctor</code> with the same variables shows what is missing.
        </p>
      </div>
    </section>
  )
}

const NewRunner = ({ base, filled, origin }: Pick<Runners, "base" | "filled" | "origin">) => (
  <Panel id="make" title="Start a runner">
    <form class="body stack" method="post" action={`${base}/settings/runners`} novalidate>
      <Once />
      <p class="small muted">
        A runner is one line on a machine with git and your agent. It only calls out to <code>{origin}</code>, so it
        works behind a firewall.
      </p>
      <Field
        name="name"
        label="Name of its token"
        hint="You find it again in API tokens. Revoking it takes the runner offline."
        filled={filled}
        maxLength={200}
        autocomplete="off"
      />
      <Select
        name="agent"
        label="Agent"
        hint="A team's policy names its agent; a runner takes the runs of its own."
        filled={filled}
        options={Object.entries(agents).map(([value, { name }]) => ({ value, label: name }))}
      />
      <Select
        name="lifetime"
        label="Token expires after"
        filled={filled}
        options={Lifetime.literals.map((value) => ({ value, label: lifetimes[value] }))}
      />
      <Button tone="primary wide tall">Make the line</Button>
    </form>
  </Panel>
)

const Consequence = ({ act, runner }: { readonly act: Act; readonly runner: RunnerView }) => {
  const count = runner.runs.length
  if (act === "drain")
    return (
      <p>
        {count === 0
          ? "It works on nothing, so it ends at once."
          : `It finishes its ${count === 1 ? "run" : `${count} runs`} and ends.`}{" "}
        It leases nothing more until it is started again on its machine.
      </p>
    )
  return (
    <p>
      {count === 0
        ? "It works on nothing."
        : `Its ${count === 1 ? "run is" : `${count} runs are`} taken from it, and another runner goes on with ${count === 1 ? "it" : "them"}.`}{" "}
      A runner that calls again with a valid token registers anew; revoke its token to keep it away.
    </p>
  )
}

/** The runners of a workspace, what each works on, and the line that starts another one. */
export const RunnersPage = (shown: Runners) => {
  const { base, created, filled, mayManage, origin, runners } = shown
  const online = runners.filter(({ offlineAt }) => offlineAt === null).length
  return (
    <>
      <Crumbs way={[["Settings", `${base}/settings/api`]]} here="Runners" />
      <Heading title="Runners">
        <Lede>Programs on your machines that work on runs: they start agents, run the gates and push branches.</Lede>
      </Heading>
      <SettingsTabs base={base} here="settings/runners" />
      {created === null ? null : <Ready created={created} origin={origin} />}
      <div class="cols">
        <Live id="runners" path={`${base}/settings/runners`} topics={["runners", "runs"]}>
          <Panel id="list" title="Runners" end={`${online} online`}>
            {runners.length === 0 ? (
              <Empty title="No runner yet" icon="run">
                Runs stay queued until a runner takes them.
              </Empty>
            ) : (
              <Table caption="Runners" columns={columns(shown)} rows={runners} idOf={({ id }) => `runner-${id}`} />
            )}
          </Panel>
        </Live>
        <NewRunner base={base} filled={filled} origin={origin} />
      </div>
      {mayManage
        ? runners.flatMap((runner) =>
            offered(runner).map((act) => (
              <Dialog
                id={`${act}-${runner.id}`}
                title={`${acts[act].verb} ${runner.name}?`}
                action={pathOf(base, act, runner)}
                confirm={acts[act].verb}
                keep="Keep it"
              >
                <Consequence act={act} runner={runner} />
              </Dialog>
            ))
          )
        : null}
    </>
  )
}

/** The question before a runner is drained or removed, as a page of its own. */
export const ConfirmPage = ({
  act,
  base,
  runner
}: {
  readonly act: Act
  readonly base: string
  readonly runner: RunnerView
}) => (
  <>
    <Crumbs way={[["Runners", `${base}/settings/runners`]]} here={runner.name} />
    <Heading title={`${acts[act].verb} ${runner.name}?`} />
    <Confirm
      action={pathOf(base, act, runner)}
      back={`${base}/settings/runners`}
      confirm={acts[act].verb}
      keep="Keep it"
    >
      <Consequence act={act} runner={runner} />
    </Confirm>
  </>
)
