import type { RunView } from "../../../../domain/work/Run.ts"
import type { StoryView } from "../../../../domain/work/Story.ts"
import { Check, GateCheck, gates } from "../decisions/Evidence.tsx"
import { Outside } from "../components/Link.tsx"
import { Panel } from "../components/Parts.tsx"

type Evidence = NonNullable<RunView["evidence"]>

const Nothing = ({ children }: { readonly children: string }) => <p class="muted">{children}</p>

/** The gates, each with its result. */
export const Gates = ({ evidence }: { readonly evidence: Evidence | null }) => (
  <Panel
    id="gates"
    title="Gates"
    end={evidence?.diff?.commit ? <>commit {<code>{evidence.diff.commit.slice(0, 12)}</code>}</> : null}
  >
    <div class="body">
      {evidence === null || evidence.gates.length === 0 ? (
        <Nothing>No gate has run. Gates are commands of the repository that a change must pass.</Nothing>
      ) : (
        <ul class="checks">
          {evidence.gates.map((gate) => (
            <GateCheck {...gate} />
          ))}
        </ul>
      )}
    </div>
  </Panel>
)

/** The steps that show it works. */
export const Demonstrate = ({ evidence }: { readonly evidence: Evidence | null }) =>
  evidence === null || evidence.demonstrate.length === 0 ? null : (
    <Panel id="demonstrate" title="Demonstrate">
      <div class="body">
        <ul class="checks">
          {evidence.demonstrate.map(({ status, text, url }) => (
            <Check name={text} shown={status === "passed" ? { ...gates.passed, word: "Shown" } : gates[status]}>
              {url === null ? null : <Outside href={url}>Recording</Outside>}
            </Check>
          ))}
        </ul>
      </div>
    </Panel>
  )

/** The criteria of the story, with what the run found. */
export const Criteria = ({
  criteria,
  evidence
}: {
  readonly criteria: StoryView["acceptanceCriteria"]
  readonly evidence: Evidence | null
}) => {
  const results = new Map(evidence?.acceptance.map(({ criterionId, status }) => [criterionId, status]))
  return (
    <Panel id="criteria" title="Acceptance criteria">
      <div class="body">
        {criteria.length === 0 ? (
          <Nothing>The story has no acceptance criteria.</Nothing>
        ) : (
          <ul class="checks">
            {criteria.map(({ id, text }) => (
              <Check name={text} shown={gates[results.get(id) ?? "pending"]} />
            ))}
          </ul>
        )}
      </div>
    </Panel>
  )
}
