import type { DecisionView } from "../../../../domain/work/Decision.ts"
import { Inline } from "../decisions/Markdown.tsx"
import { kinds } from "../decisions/DecisionWords.ts"
import { Icon } from "../components/Icon.tsx"
import { Panel } from "../components/Parts.tsx"
import { Time } from "../components/Time.tsx"

const decided: Readonly<
  Record<DecisionView["status"], { icon: "person" | "check" | "clock" | "minus"; tone: string; word: string }>
> = {
  pending: { icon: "person", tone: "s-wait", word: "Pending" },
  resolved: { icon: "check", tone: "s-ok", word: "Answered" },
  expired: { icon: "clock", tone: "s-warn", word: "Expired" },
  cancelled: { icon: "minus", tone: "", word: "Withdrawn" },
  superseded: { icon: "minus", tone: "", word: "Replaced" }
}

const answerOf = ({ options, resolution }: DecisionView) =>
  resolution === null ? null : `“${options.find(({ id }) => id === resolution.optionId)?.label ?? resolution.optionId}”`

/** Decisions of a run or a story, newest first. */
export const DecisionChecks = ({
  base,
  decisions
}: {
  readonly base: string
  readonly decisions: ReadonlyArray<DecisionView>
}) => (
  <Panel id="decisions" title="Decisions">
    <div class="body">
      {decisions.length === 0 ? (
        <p class="muted">Nobody was asked yet.</p>
      ) : (
        <ul class="checks">
          {decisions.map((decision) => {
            const { icon, tone, word } = decided[decision.status]
            const answer = answerOf(decision)
            return (
              <li>
                <span class={tone}>
                  <Icon name={icon} />
                </span>
                <a href={`${base}/decisions/${decision.key}`}>
                  <Inline text={decision.title} />
                </a>
                <span class={`word ${tone}`}>{word}</span>
                <span class="sub">
                  {decision.key}, {kinds[decision.kind]}, {answer === null ? null : <>{answer}, </>}raised{" "}
                  <Time at={decision.createdAt} />
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  </Panel>
)
