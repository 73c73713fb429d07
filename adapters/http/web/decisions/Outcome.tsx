import type { DateTime } from "effect"
import type { ComponentChildren } from "preact"
import type { Decision } from "../../../../domain/work/Decision.ts"
import type { JobView } from "../../../../domain/work/Job.ts"
import type { Step } from "../../../../domain/work/Step.ts"
import { Icon } from "../components/Icon.tsx"
import { LinkButton, Panel } from "../components/Parts.tsx"
import { Time } from "../components/Time.tsx"
import { useReader } from "../Reader.ts"
import { Inline } from "./Markdown.tsx"
import { channels, firstName, stateOf } from "./DecisionWords.ts"

/** The press that came too late. */
export interface Press {
  readonly option: string
  readonly note: string
}

export interface OutcomeView {
  readonly decision: Decision
  readonly jobs: ReadonlyArray<JobView>
  /** True when the reader answered it in the app. */
  readonly isOwn: boolean
  /** Name of the reader's draft of a note. */
  readonly draft: string
  readonly press: Press | null
  readonly next: { readonly href: string; readonly title: string } | null
  readonly list: string
}

const noteOf = ({ decision: { resolvedBy }, isOwn }: Pick<OutcomeView, "decision" | "isOwn">) =>
  isOwn ? "Your note:" : resolvedBy === null ? "Note:" : `${firstName(resolvedBy)}’s note:`

const titleOf = (view: OutcomeView): string => {
  const { decision, press } = view
  const who = decision.resolvedBy
  switch (decision.status) {
    case "resolved":
      if (view.isOwn) return "You answered"
      return press === null ? (who === null ? "Answered" : `${who} answered`) : `${who ?? "Somebody"} was faster`
    case "expired":
      return "Nobody answered in time"
    case "superseded":
      return "A newer decision replaced this one"
    default:
      return "This decision was withdrawn"
  }
}

const seconds = (from: DateTime.Utc, to: DateTime.Utc) => Math.round((to.epochMillis - from.epochMillis) / 1000)

const Before = ({ at }: { readonly at: DateTime.Utc }) => {
  const passed = seconds(at, useReader().now)
  return passed > 0 && passed < 3600 ? (
    <>
      , {passed < 120 ? `${passed} ${passed === 1 ? "second" : "seconds"}` : `${Math.round(passed / 60)} minutes`}{" "}
      before you
    </>
  ) : null
}

/** `at 10:41:52` today, `on Sat 7 Nov, 14:52` before. */
const When = ({ at }: { readonly at: DateTime.Utc }) =>
  useReader().now.epochMillis - at.epochMillis < 43_200_000 ? (
    <>
      {" at "}
      <Time at={at} as="second" />
    </>
  ) : (
    <>
      {" on "}
      <Time at={at} />
    </>
  )

const Answered = ({ decision, isOwn, press }: OutcomeView) => {
  const chosen = decision.options.find(({ id }) => id === decision.resolution?.optionId)
  return (
    <p>
      {isOwn ? "You" : firstName(decision.resolvedBy ?? "Somebody")} answered{" "}
      <strong>
        <Inline text={chosen?.label ?? ""} />
      </strong>
      {decision.resolvedVia === null ? "" : ` ${channels[decision.resolvedVia]}`}
      {decision.resolvedAt === null ? null : (
        <>
          <When at={decision.resolvedAt} />
          {press === null || isOwn ? null : <Before at={decision.resolvedAt} />}
        </>
      )}
      .{press === null || isOwn ? "" : " The first answer counts; yours changed nothing."}
    </p>
  )
}

const Ended = ({ decision }: Pick<OutcomeView, "decision">) => {
  switch (decision.status) {
    case "expired":
      return (
        <p>
          The time ran out
          {decision.expiresAt === null ? null : (
            <>
              {" at "}
              <Time at={decision.expiresAt} />
            </>
          )}
          . {decision.runKey === null ? "" : "Retry the run to be asked again."}
        </p>
      )
    case "superseded":
      return <p>The run asked again, with newer facts. Answer the newer decision.</p>
    default:
      return <p>Its run ended or its story left the board, so there is nothing to answer any more.</p>
  }
}

const StepItem = ({ job, step }: { readonly step: Step; readonly job: JobView | undefined }) => {
  const { tone, words } = step.status === "done" ? { tone: "ok" as const, words: "Done" } : stateOf(job)
  return (
    <li>
      <span class={`s-${tone}`}>
        <Icon name={tone === "ok" ? "check" : tone === "bad" ? "x" : "ring"} />
      </span>
      <span>
        <Inline text={step.summary} />
      </span>
      <span class={tone === "bad" ? "s-bad" : "muted"}>{words}</span>
    </li>
  )
}

const Steps = ({ decision, jobs }: Pick<OutcomeView, "decision" | "jobs">) => {
  const steps = decision.effects ?? []
  if (steps.length === 0) return null
  return (
    <div>
      <h3>What happened</h3>
      <ul class="steps">
        {steps.map((step) => (
          <StepItem step={step} job={jobs.find(({ id }) => id === step.ref?.id)} />
        ))}
      </ul>
    </div>
  )
}

/** A note that was typed and not sent, to copy; the page's script fills it when somebody answers meanwhile. */
const Unsent = ({ draft, note }: { readonly draft: string; readonly note: string }) => (
  <div class="field" data-unsent={draft} hidden={note === ""}>
    <p class="label">Your note was not sent</p>
    <div class="copy">
      <p class="text" data-copy-text>
        {note}
      </p>
      <button class="btn js-only" type="button" data-copy>
        <Icon name="copy" />
        <span>Copy</span>
      </button>
    </div>
  </div>
)

const Was = ({
  children,
  isChosen,
  label
}: {
  readonly label: string
  readonly isChosen: boolean
  readonly children: ComponentChildren
}) => (
  <p class={isChosen ? "was chosen" : "was"}>
    <span>
      <Inline text={label} />
    </span>
    {children}
  </p>
)

/** End of a decision: the reader's own answer, another person's, or none. */
export const Outcome = (view: OutcomeView) => {
  const { decision, draft, jobs, list, next, press } = view
  const note = decision.resolution?.note ?? null
  const who = view.isOwn ? "you" : decision.resolvedBy && firstName(decision.resolvedBy)
  return (
    <div class="stack stick" id="answer">
      <Panel id="outcome" title={titleOf(view)} isFocused>
        <div class="body stack">
          {decision.status === "resolved" ? <Answered {...view} /> : <Ended decision={decision} />}
          {note === null || note === "" ? null : (
            <blockquote class="why">
              <b>{noteOf(view)}</b>
              {note}
            </blockquote>
          )}
          <Steps decision={decision} jobs={jobs} />
          {view.isOwn ? <span data-answered={draft} hidden /> : <Unsent draft={draft} note={press?.note ?? ""} />}
          <p class="acts">
            {next === null ? (
              <LinkButton tone="wide" href={list}>
                All decisions
              </LinkButton>
            ) : (
              <a class="btn primary wide" href={next.href} data-next>
                <span>
                  Next decision: <Inline text={next.title} />
                </span>
              </a>
            )}
          </p>
        </div>
      </Panel>
      <section aria-label="The options were" class="opts">
        {decision.options.map(({ id, label }) => (
          <Was label={label} isChosen={id === decision.resolution?.optionId}>
            {id === decision.resolution?.optionId ? (
              <span class="s-ok">
                <Icon name="check" /> {who === null ? "chosen" : `chosen by ${who}`}
              </span>
            ) : press?.option === id ? (
              <span>you pressed this</span>
            ) : null}
          </Was>
        ))}
      </section>
    </div>
  )
}
