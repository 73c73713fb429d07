import type { DecisionView } from "../../../../domain/work/Decision.ts"
import type { RunSummary } from "../../../../domain/work/Run.ts"
import { isOver } from "../../../../domain/work/RunTransitions.ts"
import { columnOf, isMirrorNote, type StoryDetail } from "../../../../domain/work/Story.ts"
import { Check, gates } from "../decisions/Evidence.tsx"
import { Inline, Markdown } from "../decisions/Markdown.tsx"
import { euros } from "../decisions/DecisionWords.ts"
import { Meter } from "../components/Facts.tsx"
import { Crumbs, Heading } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Outside } from "../components/Link.tsx"
import { Live } from "../components/Live.tsx"
import { Badge, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Age } from "../components/Time.tsx"
import { DecisionChecks } from "../runs/DecisionChecks.tsx"
import { PullLink, RunBadge } from "../runs/RunState.tsx"
import { movesOf } from "../teams/Card.tsx"
import { Question, wayOf } from "./StoryQuestions.tsx"
import { classes, complexities, platforms } from "./StoryWords.ts"

export interface StoryShown {
  readonly base: string
  readonly story: StoryDetail
  readonly teamName: string
  readonly isTeamPaused: boolean
  readonly runs: ReadonlyArray<RunSummary>
  readonly decisions: ReadonlyArray<DecisionView>
  /** Why a request changed nothing. */
  readonly refusal?: string
}

const pathOf = ({ base, story }: Pick<StoryShown, "base" | "story">) => `${base}/stories/${story.key}`

const busyRun = ({ runs }: StoryShown) => runs.find(({ status }) => !isOver(status))

/** Parts that make a story ready, and whether it has them. */
const partsOf = ({ acceptanceCriteria, demonstrate, description }: StoryDetail) =>
  [
    ["A description", (description ?? "").trim() !== ""],
    ["An acceptance criterion", acceptanceCriteria.length > 0],
    ["A step that demonstrates it", demonstrate.length > 0]
  ] as const

const Readiness = ({ story }: Pick<StoryShown, "story">) => {
  const missing = partsOf(story).filter(([, has]) => !has)
  return (
    <Panel id="readiness" title="Readiness" end={`${Math.round(story.readinessScore)} of 100`}>
      <div class="body stack">
        <Meter part={story.readinessScore} tone={story.readinessScore >= 100 ? "ok" : "calm"} />
        <ul class="checks">
          {partsOf(story).map(([name, has]) => (
            <Check
              name={name}
              shown={has ? { ...gates.passed, word: "There" } : { ...gates.pending, word: "Missing" }}
            />
          ))}
        </ul>
        {story.draft ? (
          <p class="small muted">
            {missing.length === 0 ? "It can be approved." : "A draft can be approved once nothing is missing."}
          </p>
        ) : null}
      </div>
    </Panel>
  )
}

const Approve = ({ shown }: { readonly shown: StoryShown }) =>
  shown.story.readinessScore >= 100 ? (
    <form method="post" action={`${pathOf(shown)}/approve`}>
      <button class="btn primary" type="submit">
        <Icon name="check" />
        Approve
      </button>
    </form>
  ) : (
    <>
      <span class="small muted" id="not-ready">
        It is approved once it is ready
      </span>
      <button class="btn" type="button" aria-disabled="true" aria-describedby="not-ready">
        <Icon name="check" />
        Approve
      </button>
    </>
  )

const Actions = (shown: StoryShown) => {
  const { story } = shown
  const path = pathOf(shown)
  return (
    <>
      <LinkButton href={`${path}/edit`}>Edit</LinkButton>
      {story.draft ? (
        <>
          <a class="btn danger" href={`${path}/reject`} data-dialog="reject">
            Reject
          </a>
          <Approve shown={shown} />
        </>
      ) : busyRun(shown) === undefined && !shown.isTeamPaused ? (
        <a class="btn primary" href={`${path}/start`} data-dialog="start">
          <Icon name="run" />
          Start a run
        </a>
      ) : null}
    </>
  )
}

const Meta = ({ base, isTeamPaused, story, teamName }: StoryShown) => (
  <p class="meta">
    {story.draft ? <span class="badge line">Draft</span> : null}
    <span class="badge line">{columnOf(story.column.role).name}</span>
    {story.classOfService === "expedite" ? (
      <Badge icon="warn" tone="bad">
        Expedite
      </Badge>
    ) : story.classOfService === "standard" ? null : (
      <span>{classes[story.classOfService]}</span>
    )}
    <a href={`${base}/teams/${story.team}`}>{teamName}</a>
    {isTeamPaused ? <span>The team is paused</span> : null}
    {story.size === null ? null : <span>Size {story.size.toUpperCase()}</span>}
    {story.complexity === null ? null : <span>{complexities[story.complexity]} complexity</span>}
    {story.tracker === null ? null : (
      <span>
        <Outside href={story.tracker.url}>{story.tracker.key}</Outside> in {platforms[story.tracker.platform]}
      </span>
    )}
    <span>
      changed <Age at={story.updatedAt} />
    </span>
  </p>
)

const Move = (shown: StoryShown) => {
  const { story } = shown
  const busy = busyRun(shown)
  const moves = movesOf({ ...story, run: busy ? { ...busy } : null })
  return (
    <Panel id="move" title="Column">
      <div class="body">
        {busy !== undefined ? (
          <p class="muted">{busy.key} works on the story and moves it.</p>
        ) : (
          <form class="bar" method="post" action={`${pathOf(shown)}/move`}>
            <label class="vh" for="column">
              Move to
            </label>
            <select class="input fit" id="column" name="column">
              {moves.map((role) => (
                <option value={role}>{columnOf(role).name}</option>
              ))}
            </select>
            <input type="hidden" name="from" value="story" />
            <button class="btn" type="submit">
              Move
            </button>
          </form>
        )}
      </div>
    </Panel>
  )
}

const RunsPanel = ({ base, runs }: StoryShown) => (
  <Panel id="runs" title="Runs">
    <div class="body">
      {runs.length === 0 ? (
        <p class="muted">No run has worked on it.</p>
      ) : (
        <ul class="stack">
          {runs.map((run) => (
            <li>
              <p class="meta">
                <RunBadge status={run.status} stage={run.stage} />
                <a href={`${base}/runs/${run.key}`}>{run.key}</a>
                <span class="num">{euros(run.costCents)}</span>
                {run.pullRequest === null ? null : <PullLink base={base} of={run.pullRequest} />}
                <Age at={run.startedAt ?? run.createdAt} />
              </p>
            </li>
          ))}
        </ul>
      )}
    </div>
  </Panel>
)

const Text = ({ id, text, title }: { readonly id: string; readonly title: string; readonly text: string | null }) => (
  <Panel id={id} title={title}>
    {text === null || text.trim() === "" ? <p class="body muted">None yet.</p> : <Markdown text={text} />}
  </Panel>
)

const Criteria = ({ story: { acceptanceCriteria } }: Pick<StoryShown, "story">) => (
  <Panel id="criteria" title="Acceptance criteria">
    <div class="body">
      {acceptanceCriteria.length === 0 ? (
        <p class="muted">None yet. They say when the story is done.</p>
      ) : (
        <ul class="checks">
          {acceptanceCriteria.map(({ status, text }) => (
            <Check name={text} shown={gates[status]} />
          ))}
        </ul>
      )}
    </div>
  </Panel>
)

const Demonstrate = ({ story: { demonstrate } }: Pick<StoryShown, "story">) => (
  <Panel id="demonstrate" title="Demonstrate">
    <div class="body">
      {demonstrate.length === 0 ? (
        <p class="muted">None yet. The steps show a person that it works.</p>
      ) : (
        <ol class="setup">
          {demonstrate.map((step) => (
            <li>
              <p>
                <Inline text={step} />
              </p>
            </li>
          ))}
        </ol>
      )}
    </div>
  </Panel>
)

/** One story: its content, what it needs to be ready, and the work on it. */
export const StoryPage = (shown: StoryShown) => {
  const { base, decisions, refusal, story } = shown
  return (
    <>
      <Crumbs way={wayOf(shown)} here={story.key} />
      {refusal === undefined ? null : (
        <Notice tone="warn" isAlert>
          <h2>Nothing was changed</h2>
          <p>{refusal}</p>
        </Notice>
      )}
      <Live id="story" path={pathOf(shown)} topics={[story.key, ...shown.runs.map(({ key }) => key)]}>
        <Heading title={<Inline text={story.title} />} actions={<Actions {...shown} />}>
          <Meta {...shown} />
        </Heading>
        {story.returnNote === null ? null : (
          <Notice tone="info" icon="chat">
            <p>
              It was returned to {isMirrorNote(story.returnNote) ? "Refining" : "Backlog"}:{" "}
              <Inline text={story.returnNote} />
            </p>
          </Notice>
        )}
        <div class="cols">
          <div class="stack">
            <Text id="description" title="Description" text={story.description} />
            <Criteria story={story} />
            <Demonstrate story={story} />
            <Text id="test-plan" title="Test plan" text={story.testPlan} />
          </div>
          <div class="stack">
            <Readiness story={story} />
            <Move {...shown} />
            <RunsPanel {...shown} />
            <DecisionChecks base={base} decisions={decisions} />
          </div>
        </div>
      </Live>
      {story.draft ? <Question act="reject" shown={shown} /> : <Question act="start" shown={shown} />}
    </>
  )
}
