import type { DecisionContext } from "../../../../domain/work/ResolveDecision.ts"
import { Crumbs, Heading } from "../components/Heading.tsx"
import { Icon } from "../components/Icon.tsx"
import { Live } from "../components/Live.tsx"
import { Panel } from "../components/Parts.tsx"
import { Time, TimeLeft } from "../components/Time.tsx"
import { AnswerForm, type AnswerFormView, OptionsOnly } from "./AnswerForm.tsx"
import { EvidencePanel, EvidenceStrip } from "./Evidence.tsx"
import { State } from "./DecisionList.tsx"
import { Inline, Markdown } from "./Markdown.tsx"
import { Outcome, type OutcomeView } from "./Outcome.tsx"
import { authorities, kinds } from "./DecisionWords.ts"

export interface OneView {
  readonly base: string
  readonly at: Omit<DecisionContext, "fresh">
  /** The form while the reader may answer; a reason when the role does not suffice; the outcome afterwards. */
  readonly answer:
    | ({ readonly type: "form" } & AnswerFormView)
    | ({ readonly type: "outcome" } & OutcomeView)
    | { readonly type: "refused"; readonly who: string; readonly options: AnswerFormView["options"] }
  readonly neighbours: { readonly previous: string | null; readonly next: string | null }
}

const Answer = ({ answer }: Pick<OneView, "answer">) => {
  switch (answer.type) {
    case "form":
      return <AnswerForm {...answer} />
    case "outcome":
      return <Outcome {...answer} />
    case "refused":
      return <OptionsOnly {...answer} />
  }
}

const Meta = ({ at: { decision, run, story, team }, base }: Pick<OneView, "at" | "base">) => (
  <p class="meta">
    {decision.status === "pending" ? (
      <TimeLeft from={decision.createdAt} until={decision.expiresAt} />
    ) : (
      <State status={decision.status} />
    )}
    <span>{kinds[decision.kind]}</span>
    <span>
      <Icon name={decision.authority === "member" ? "person" : "lock"} />
      {authorities[decision.authority]}
    </span>
    <span>
      <a href={`${base}/teams/${team.slug}`}>{team.name}</a>
    </span>
    {story === null ? null : (
      <span>
        <span>
          <a href={`${base}/stories/${story.key}`}>{story.key}</a> {story.title}
        </span>
      </span>
    )}
    {run === null ? null : (
      <span>
        <span>
          <a href={`${base}/runs/${run.key}`}>{run.key}</a>, attempt {run.latest.attempt}
        </span>
      </span>
    )}
  </p>
)

/** Links for the keys j and k. */
const Neighbours = ({ neighbours: { next, previous } }: Pick<OneView, "neighbours">) => (
  <>
    {previous === null ? null : <a class="vh" href={previous} data-previous tabindex={-1} aria-hidden="true" />}
    {next === null ? null : <a class="vh" href={next} data-next tabindex={-1} aria-hidden="true" />}
  </>
)

export const OneDecision = ({ answer, at, base, neighbours }: OneView) => {
  const { decision, run } = at
  const address = `${base}/decisions/${decision.key}`
  return (
    <Live id="decision" path={address} topics={[decision.key, ...(run === null ? [] : [run.key]), "jobs"]}>
      <Crumbs way={[["Decisions", `${base}/decisions`]]} here={decision.key} />
      <Heading title={<Inline text={decision.title} />}>
        <Meta at={at} base={base} />
      </Heading>
      <div class="cols decide">
        <div class="stack">
          {run === null ? null : <EvidenceStrip run={run} />}
          <Panel
            id="why"
            title="Why it is asked"
            end={
              <>
                {run === null ? "" : `by ${run.latest.executor}, `}
                <Time at={decision.createdAt} />
              </>
            }
          >
            {decision.body.trim() === "" ? (
              <p class="body muted">No reasons were given.</p>
            ) : (
              <Markdown text={decision.body} />
            )}
          </Panel>
        </div>
        <Answer answer={answer} />
        {run === null ? <div /> : <EvidencePanel run={run} />}
      </div>
      <Neighbours neighbours={neighbours} />
    </Live>
  )
}
