import type { DecisionView } from "../../../../domain/work/Decision.ts"
import type { RunHistory, RunView } from "../../../../domain/work/Run.ts"
import { isOver, isRetriable } from "../../../../domain/work/RunTransitions.ts"
import type { StoryView } from "../../../../domain/work/Story.ts"
import { Passed } from "../decisions/Evidence.tsx"
import { Inline } from "../decisions/Markdown.tsx"
import { euros } from "../decisions/DecisionWords.ts"
import { Confirm, Dialog } from "../components/Dialog.tsx"
import { Fact, Meter, Strip } from "../components/Facts.tsx"
import { type Filled, TextArea, unfilled } from "../components/Form.tsx"
import { Crumbs, Heading, wayToTeam } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Live } from "../components/Live.tsx"
import { Notice } from "../components/Parts.tsx"
import { Time, TimeLeft } from "../components/Time.tsx"
import { DecisionChecks } from "./DecisionChecks.tsx"
import { withQuestion } from "./Lanes.ts"
import { TimeLinePanel } from "./LanesView.tsx"
import { Criteria, Demonstrate, Gates } from "./RunEvidence.tsx"
import { type Log, LogPanel } from "./RunLog.tsx"
import { PullLink, RunBadge } from "./RunState.tsx"
import { stages } from "./RunWords.ts"

export interface Detail {
  readonly base: string
  readonly run: RunView
  readonly teamName: string
  readonly history: RunHistory
  readonly decisions: ReadonlyArray<DecisionView>
  readonly criteria: StoryView["acceptanceCriteria"]
  readonly log: Log & { readonly isCut: boolean }
  /** Why a request changed nothing. */
  readonly refusal?: string
}

const Facts = ({ base, run }: { readonly base: string; readonly run: RunView }) => {
  const { budgetCents, costCents, evidence, pullRequest } = run
  const part = Math.round((100 * costCents) / Math.max(1, budgetCents))
  return (
    <Strip label="The run in numbers">
      <Fact name="Cost" after={<Meter part={part} tone={part >= 100 ? "bad" : part >= 80 ? "warn" : ""} />}>
        {euros(costCents)} <small>of {euros(budgetCents)}</small>
      </Fact>
      <Fact name="Gates">{evidence?.gates.length ? <Passed of={evidence.gates} /> : "None yet"}</Fact>
      <Fact name="Criteria">{evidence?.acceptance.length ? <Passed of={evidence.acceptance} /> : "None yet"}</Fact>
      <Fact name="Change">
        {evidence?.diff ? (
          <>
            {evidence.diff.files} {evidence.diff.files === 1 ? "file" : "files"}{" "}
            <small>
              +{evidence.diff.additions} −{evidence.diff.deletions}
            </small>
          </>
        ) : (
          "None yet"
        )}
      </Fact>
      <Fact name="Pull request">{pullRequest === null ? "None yet" : <PullLink base={base} of={pullRequest} />}</Fact>
    </Strip>
  )
}

const Question = ({ base, decision }: { readonly base: string; readonly decision: DecisionView }) => (
  <Notice tone="wait" icon="person">
    <p>
      <strong>
        <Inline text={decision.title} />
      </strong>
    </p>
    <p>
      The run goes on when somebody answers. <TimeLeft from={decision.createdAt} until={decision.expiresAt} />
    </p>
    <p class="acts">
      <a class="btn primary" href={`${base}/decisions/${decision.key}`}>
        Answer {decision.key}
      </a>
    </p>
  </Notice>
)

const pathOf = ({ base, run }: Pick<Detail, "base" | "run">) => `${base}/runs/${run.key}`

const Actions = ({ base, run }: Detail) => (
  <>
    {isRetriable(run.status) ? (
      <a class="btn" href={`${pathOf({ base, run })}/retry`} data-dialog="retry">
        <Icon name="retry" />
        Retry
      </a>
    ) : null}
    {isOver(run.status) ? null : (
      <a class="btn danger" href={`${pathOf({ base, run })}/stop`} data-dialog="stop">
        <Icon name="stop" />
        Stop
      </a>
    )}
  </>
)

const Stopping = () => (
  <p>
    The attempt ends as stopped, its pending decisions are withdrawn, and the story stays in its column. A stopped run
    can be retried.
  </p>
)

const Retrying = ({ filled = unfilled }: { readonly filled?: Filled }) => (
  <>
    <p>A new attempt is queued under the same key, and the story moves to In progress.</p>
    <TextArea
      name="note"
      label="Note for the agent"
      hint="It begins with this. Optional."
      maxLength={4000}
      filled={filled}
    />
  </>
)

const Meta = ({ base, run }: Pick<Detail, "base" | "run">) => (
  <p class="meta">
    <RunBadge status={run.status} stage={run.stage} />
    {run.status === "running" || run.status === "queued" ? null : <span>{stages[run.stage].toLowerCase()}</span>}
    <a href={`${base}/stories/${run.story.key}`}>{run.story.key}</a>
    <span>attempt {run.attempts}</span>
    <span>{run.executor}</span>
    {run.startedAt === null ? (
      <span>waits for a runner</span>
    ) : (
      <span>
        started <Time at={run.startedAt} />
      </span>
    )}
  </p>
)

const wayOf = ({ base, run, teamName }: Pick<Detail, "base" | "run" | "teamName">) =>
  [...wayToTeam(base, { name: teamName, slug: run.team }), [run.story.key, `${base}/stories/${run.story.key}`]] as const

/** One run: what it waits for, what it did, what it shows of its result, and its log. */
export const RunDetail = (detail: Detail) => {
  const { base, criteria, decisions, history, log, refusal, run } = detail
  const pending = decisions.find(({ status }) => status === "pending")
  const path = pathOf(detail)
  return (
    <>
      <Crumbs way={wayOf(detail)} here={run.key} />
      {refusal === undefined ? null : (
        <Notice tone="warn" isAlert>
          <h2>Nothing was changed</h2>
          <p>{refusal}</p>
        </Notice>
      )}
      <Live id="run" path={path} topics={[run.key, run.story.key]}>
        <Heading title={<Inline text={run.story.title} />} actions={<Actions {...detail} />}>
          <Meta base={base} run={run} />
        </Heading>
        <div class="stack wide">
          {pending === undefined ? null : <Question base={base} decision={pending} />}
          <Facts base={base} run={run} />
          <TimeLinePanel attempts={run.attemptList} history={withQuestion(history, run.attempts, pending)} />
          <div class="cols even">
            <div class="stack">
              <Gates evidence={run.evidence} />
              <Demonstrate evidence={run.evidence} />
            </div>
            <div class="stack">
              <Criteria criteria={criteria} evidence={run.evidence} />
              <DecisionChecks base={base} decisions={decisions} />
            </div>
          </div>
        </div>
      </Live>
      <div class="stack gap-top">
        <LogPanel {...log} attempts={run.attempts} />
      </div>
      <Dialog id="stop" title={`Stop ${run.key}?`} action={`${path}/stop`} confirm="Stop the run" keep="Let it work">
        <Stopping />
      </Dialog>
      <Dialog id="retry" title={`Retry ${run.key}?`} action={`${path}/retry`} confirm="Retry" keep="Leave it" isSafe>
        <Retrying />
      </Dialog>
    </>
  )
}

/** The question before a run is stopped or retried, as a page of its own. */
export const RunQuestion = ({
  act,
  filled,
  ...detail
}: Pick<Detail, "base" | "run" | "teamName"> & { readonly act: "stop" | "retry"; readonly filled?: Filled }) => {
  const path = pathOf(detail)
  const { run } = detail
  return (
    <>
      <Crumbs way={[...wayOf(detail), [run.key, path]]} here={act === "stop" ? "Stop" : "Retry"} />
      <Heading title={`${act === "stop" ? "Stop" : "Retry"} ${run.key}?`}>
        <p class="meta">
          <RunBadge status={run.status} stage={run.stage} />
          <span>
            <Inline text={run.story.title} />
          </span>
        </p>
      </Heading>
      <Confirm
        action={`${path}/${act}`}
        back={path}
        confirm={act === "stop" ? "Stop the run" : "Retry"}
        keep={act === "stop" ? "Let it work" : "Leave it"}
        isSafe={act === "retry"}
      >
        {act === "stop" ? <Stopping /> : <Retrying {...(filled && { filled })} />}
      </Confirm>
    </>
  )
}
