import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import { isPosting, type SignalSource } from "../../../../domain/oncall/SignalSource.ts"
import { bounds } from "../../../../domain/oncall/UptimeCheck.ts"
import { Severity } from "../../../../domain/value/Severity.ts"
import { Field, type Filled } from "../components/Form.tsx"
import { Button, Panel } from "../components/Parts.tsx"
import { severityWord } from "../incidents/Severity.tsx"
import { Boxes, Switch } from "./Boxes.tsx"
import type { Typed } from "./SourceForm.ts"

const SeveritySelect = ({ chosen, label }: { readonly label: string; readonly chosen: string }) => (
  <label>
    <span class="vh">{label}</span>
    <select class="input" name="severity">
      {Severity.literals.map((value) => (
        <option value={value} selected={value === chosen}>
          {severityWord(value)}
        </option>
      ))}
      <option value="" selected={chosen === ""}>
        Not known
      </option>
    </select>
  </label>
)

/** The tool's words for severities: known ones with what they mean, and room for another. */
const Words = ({ severities, words }: Pick<SignalSource, "severities"> & Pick<Typed, "words">) => {
  const known = words.filter(([word]) => Object.hasOwn(severities, word))
  const [other, chosen] = words.find(([word]) => !Object.hasOwn(severities, word)) ?? ["", "critical"]
  return (
    <fieldset class="field">
      <legend class="label">Its words for severities</legend>
      <p class="hint">A word that nobody knows is read as Medium.</p>
      <ul class="words">
        {known.map(([word, severity]) => (
          <li>
            <input type="hidden" name="word" value={word} />
            <code>{word}</code>
            <span>is</span>
            <SeveritySelect label={`Severity of ${word}`} chosen={severity} />
          </li>
        ))}
        <li>
          <label>
            <span class="vh">Another word</span>
            <input class="input" name="word" value={other} placeholder="another word" autocomplete="off" />
          </label>
          <span>is</span>
          <SeveritySelect label="Severity of the other word" chosen={chosen} />
        </li>
      </ul>
    </fieldset>
  )
}

/** The address to check, and how. */
export const CheckFields = ({ filled }: { readonly filled: Filled }) => (
  <>
    <Field name="url" label="Address to check" filled={filled} placeholder="https://" autocomplete="off" />
    <div class="fields">
      {(
        [
          ["intervalSeconds", "Seconds between checks"],
          ["timeoutSeconds", "Seconds to answer"],
          ["expectedStatus", "Expected status"],
          ["failuresBeforeFiring", "Failures before it fires"]
        ] as const
      ).map(([name, label]) => (
        <Field
          name={name}
          label={label}
          filled={filled}
          inputmode="numeric"
          hint={`${bounds[name].least} to ${bounds[name].most}`}
        />
      ))}
    </div>
  </>
)

/** The services that a source may feed. */
export const ServiceBoxes = ({
  at,
  chosen,
  error
}: {
  readonly at: OnCall
  readonly chosen: ReadonlyArray<string>
  readonly error?: string | undefined
}) => (
  <Boxes
    name="services"
    label="Services that its alerts are about"
    type="checkbox"
    chosen={chosen}
    error={error}
    options={at.services
      .filter(({ deletedAt }) => deletedAt === null)
      .map(({ name }) => ({ value: name, label: name }))}
  />
)

/** Settings of a source that an admin changes. */
export const SourceSettings = ({
  at,
  base,
  filled,
  source,
  typed
}: {
  readonly base: string
  readonly source: SignalSource
  readonly at: OnCall
  readonly filled: Filled
  readonly typed: Typed
}) => (
  <Panel id="settings" title="Settings">
    <form class="body stack" method="post" action={`${base}/sources/${source.id}`} novalidate>
      <input type="hidden" name="updatedAt" value={typed.updatedAt} />
      <ServiceBoxes at={at} chosen={typed.services} />
      {isPosting(source.kind) ? (
        <>
          <Switch name="timestamp" label="Require a signed time" isOn={typed.isTimestampRequired}>
            Refuses deliveries without one, which protects against replays. Not every tool can sign a time.
          </Switch>
          <Words severities={source.severities} words={typed.words} />
        </>
      ) : (
        <CheckFields filled={{ ...filled, values: typed.check }} />
      )}
      <p>
        <Button tone="primary">Save the settings</Button>
      </p>
    </form>
  </Panel>
)
