import type { Decision, Option } from "../../../../domain/work/Decision.ts"
import { longestNote } from "../../../../domain/work/Decision.ts"
import type { Step } from "../../../../domain/work/Step.ts"
import { type Filled, TextArea } from "../components/Form.tsx"
import { Icon } from "../components/Icon.tsx"
import { Notice } from "../components/Parts.tsx"
import { Time } from "../components/Time.tsx"
import { Inline } from "./Markdown.tsx"

/** Steps that end something are marked. */
const isEnding = ({ type }: Step) => type === "run_ended" || type === "proposal_declined"

const OptionCard = ({
  number,
  option,
  steps
}: {
  readonly number: number
  readonly option: Option
  readonly steps: ReadonlyArray<Step>
}) => (
  <div class={option.recommended ? "opt rec" : "opt"}>
    <button
      type="submit"
      name="option"
      value={option.id}
      id={`option-${number}`}
      data-option={number}
      aria-describedby={`then-${number}`}
      aria-keyshortcuts={String(number)}
    >
      <span>
        <Inline text={option.label} />
      </span>
      {option.recommended ? (
        <span class="tag">
          <Icon name="go" />
          Recommended
        </span>
      ) : null}
    </button>
    <kbd class="js-only" aria-hidden="true">
      {number}
    </kbd>
    <ul class="then" id={`then-${number}`}>
      {steps.length === 0 ? (
        <li>
          <Icon name="arrow" />
          <span>Your answer is recorded</span>
        </li>
      ) : (
        steps.map((step) => (
          <li {...(isEnding(step) && { class: "s-bad" })}>
            <Icon name={isEnding(step) ? "stop" : "arrow"} />
            <span>
              <Inline text={step.summary} />
            </span>
          </li>
        ))
      )}
    </ul>
  </div>
)

export interface AnswerFormView {
  readonly address: string
  readonly decision: Decision
  readonly options: ReadonlyArray<{ readonly option: Option; readonly steps: ReadonlyArray<Step> }>
  readonly expiry: ReadonlyArray<string>
  /** Makes a repeated press safe. */
  readonly requestKey: string
  readonly filled: Filled
  /** Name of the reader's draft of a note. */
  readonly draft: string
}

/** The options with what each will do, and a note; one press answers. */
export const AnswerForm = ({ address, decision, draft, expiry, filled, options, requestKey }: AnswerFormView) => (
  <form
    class="stack stick"
    id="answer"
    method="post"
    action={address}
    aria-label="Answer"
    hx-post={address}
    hx-target="#decision"
    hx-select="#decision"
    hx-swap="outerMorph"
    data-sending
  >
    <input type="hidden" name="request" value={requestKey} />
    {filled.errors["option"] === undefined ? null : (
      <Notice tone="bad" isAlert>
        <p>{filled.errors["option"]}</p>
      </Notice>
    )}
    <TextArea
      name="note"
      label="Note, if you like"
      maxLength={longestNote}
      aria-keyshortcuts="n"
      data-draft={draft}
      filled={filled}
      hint="Sent with the option you press, at most 4,000 characters."
    />
    <h2 class="vh">Options</h2>
    <div class="opts">
      {options.map(({ option, steps }, index) => (
        <OptionCard number={index + 1} option={option} steps={steps} />
      ))}
    </div>
    <div data-unsure hidden>
      <Notice tone="warn" isAlert>
        <p>
          <strong>Not sure whether this arrived.</strong> <a href={address}>Check</a>, or press again; an answer counts
          once.
        </p>
      </Notice>
    </div>
    {decision.expiresAt === null ? null : (
      <p class="small muted">
        If nobody answers by <Time at={decision.expiresAt} />,{" "}
        <Inline text={expiry.length === 0 ? "the decision expires" : expiry.join(" and ")} />.
      </p>
    )}
    <p class="keys js-only">
      <span>
        <kbd>1</kbd>–<kbd>{options.length}</kbd> choose, then <kbd>Enter</kbd>
      </span>
      <span>
        <kbd>n</kbd> note
      </span>
      <span>
        <kbd>j</kbd>
        <kbd>k</kbd> next, previous decision
      </span>
    </p>
  </form>
)

/** The options for a member whose role does not suffice. */
export const OptionsOnly = ({ options, who }: Pick<AnswerFormView, "options"> & { readonly who: string }) => (
  <div class="stack stick" id="answer">
    <Notice tone="info" icon="lock">
      <p>{who}</p>
    </Notice>
    <section class="opts" aria-label="Options">
      {options.map(({ option, steps }) => (
        <div class="was">
          <span>
            <Inline text={option.label} />
          </span>
          <span>
            <Inline text={steps.map(({ summary }) => summary).join(". ")} />
          </span>
        </div>
      ))}
    </section>
  </div>
)
