import type { ComponentChildren } from "preact"
import { progress, type Run } from "../../../../domain/work/Run.ts"
import { Fact, Meter, Strip } from "../components/Facts.tsx"
import { Icon, type IconName } from "../components/Icon.tsx"
import { Outside } from "../components/Link.tsx"
import { Panel } from "../components/Parts.tsx"
import { Inline } from "./Markdown.tsx"
import { euros } from "./DecisionWords.ts"

export type Status = NonNullable<Run["evidence"]>["gates"][number]["status"]

interface Shown {
  readonly icon: IconName
  readonly tone: string
  readonly word: string
}

export const gates: Readonly<Record<Status, Shown>> = {
  pending: { icon: "ring", tone: "", word: "Not yet" },
  passed: { icon: "check", tone: "s-ok", word: "Passed" },
  failed: { icon: "x", tone: "s-bad", word: "Failed" },
  skipped: { icon: "minus", tone: "", word: "Skipped" }
}

/** Counts the passed ones of a list; the icon is that of the worst. */
export const Passed = ({ of }: { readonly of: ReadonlyArray<{ readonly status: Status }> }) => {
  const passed = of.filter(({ status }) => status === "passed").length
  const { icon, tone } =
    gates[of.some(({ status }) => status === "failed") ? "failed" : passed === of.length ? "passed" : "pending"]
  return (
    <>
      <span class={tone}>
        <Icon name={icon} />
      </span>
      {passed} of {of.length} passed
    </>
  )
}

/** Gates, criteria, change and cost of the run, in numbers. */
export const EvidenceStrip = ({ run }: { readonly run: Run }) => {
  const { evidence } = run
  const { costCents } = progress(run)
  const part = Math.round((100 * costCents) / Math.max(1, run.budgetCents))
  return (
    <Strip label="Evidence">
      {evidence === null || evidence.gates.length === 0 ? null : (
        <Fact name="Gates">
          <Passed of={evidence.gates} />
        </Fact>
      )}
      {evidence === null || evidence.acceptance.length === 0 ? null : (
        <Fact name="Criteria">
          <Passed of={evidence.acceptance} />
        </Fact>
      )}
      {evidence?.diff == null ? null : (
        <Fact name="Change">
          {evidence.diff.files} {evidence.diff.files === 1 ? "file" : "files"}{" "}
          <small>
            +{evidence.diff.additions} −{evidence.diff.deletions}
          </small>
        </Fact>
      )}
      <Fact name="Cost" after={<Meter part={part} tone={part >= 100 ? "bad" : part >= 80 ? "warn" : ""} />}>
        {euros(costCents)} <small>of {euros(run.budgetCents)}</small>
      </Fact>
    </Strip>
  )
}

/** One line of a check list. */
export const Check = ({
  children,
  name,
  shown
}: {
  readonly name: string
  readonly shown: Shown
  readonly children?: ComponentChildren
}) => (
  <li>
    <span class={shown.tone}>
      <Icon name={shown.icon} />
    </span>
    <span>
      <Inline text={name} />
    </span>
    <span class={`word ${shown.tone}`}>{shown.word}</span>
    {children ? <span class="sub">{children}</span> : null}
  </li>
)

/** Ends a text before a link. */
export const sentence = (text: string) => (text === "" || /[.!?:]$/.test(text) ? text : `${text}.`)

/** A gate with its result. */
export const GateCheck = ({ name, status, summary, url }: NonNullable<Run["evidence"]>["gates"][number]) => (
  <Check name={name} shown={gates[status]}>
    <Inline text={url === null ? (summary ?? "") : sentence(summary ?? "")} />
    {url === null ? null : (
      <>
        {" "}
        <Outside href={url}>Details</Outside>
      </>
    )}
  </Check>
)

/** Gates and demonstrations, each with its result. */
export const EvidencePanel = ({ run }: { readonly run: Run }) => {
  const { evidence } = run
  if (evidence === null || evidence.gates.length + evidence.demonstrate.length === 0) return null
  return (
    <Panel id="evidence" title="Evidence" end={run.pullRequest ? <PullRequest run={run} /> : null}>
      <div class="body">
        <ul class="checks">
          {evidence.gates.map((gate) => (
            <GateCheck {...gate} />
          ))}
          {evidence.demonstrate.map(({ status, text, url }, index) => (
            <Check name={text} shown={status === "passed" ? { ...gates.passed, word: "Shown" } : gates[status]}>
              Demonstrate step {index + 1}. {url === null ? null : <Outside href={url}>Recording</Outside>}
            </Check>
          ))}
        </ul>
      </div>
    </Panel>
  )
}

const PullRequest = ({ run: { pullRequest } }: { readonly run: Run }) =>
  pullRequest === null ? null : <Outside href={pullRequest.url}>Pull request #{pullRequest.number}</Outside>
