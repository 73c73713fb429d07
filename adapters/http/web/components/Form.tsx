import type { ComponentChildren, InputHTMLAttributes, TextareaHTMLAttributes } from "preact"
import { Icon } from "./Icon.tsx"

/** Values that a person typed, and an error for each wrong one, by the name of the field. */
export interface Filled {
  readonly values: Readonly<Record<string, string>>
  readonly errors: Readonly<Record<string, string>>
}

export const unfilled: Filled = { values: {}, errors: {} }

/** Makes a form count once, however often it is sent. */
export const Once = () => <input type="hidden" name="once" value={crypto.randomUUID()} />

const Problem = ({ id, text }: { readonly id: string; readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="error" id={id}>
      <Icon name="warn" />
      {text}
    </p>
  )

interface Shared {
  readonly name: string
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
  readonly filled?: Filled
}

const ids = (name: string, hint: unknown, error: string | undefined) =>
  [error === undefined ? "" : `${name}-error`, hint === undefined ? "" : `${name}-hint`].filter(Boolean).join(" ")

const described = ({ filled = unfilled, hint, name }: Shared) => {
  const error = filled.errors[name]
  const by = ids(name, hint, error)
  return {
    id: name,
    name,
    class: "input",
    ...(by !== "" && { "aria-describedby": by }),
    ...(error !== undefined && { "aria-invalid": "true" as const })
  }
}

const Around = ({
  children,
  filled = unfilled,
  hint,
  isHidden = false,
  label,
  name
}: Shared & { readonly isHidden?: boolean; readonly children: ComponentChildren }) => (
  <div class="field">
    <label for={name} {...(isHidden && { class: "vh" })}>
      {label}
    </label>
    {children}
    <Problem id={`${name}-error`} text={filled.errors[name]} />
    {hint === undefined ? null : (
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
    )}
  </div>
)

interface InputAttributes {
  readonly type?: "text" | "email" | "date"
  readonly maxLength?: number
  readonly required?: boolean
  readonly autocomplete?: "one-time-code" | "username" | "off"
  readonly placeholder?: string
  readonly spellcheck?: boolean
  readonly inputmode?: "numeric" | "decimal"
}

/** One line of text with its label above, and its error and hint below. */
export const Field = ({ filled = unfilled, hint, label, name, ...input }: Shared & InputAttributes) => {
  const attributes = { ...described({ name, label, hint, filled }), value: filled.values[name] ?? "", ...input }
  return (
    <Around name={name} label={label} hint={hint} filled={filled}>
      <input {...(attributes as InputHTMLAttributes<HTMLInputElement>)} />
    </Around>
  )
}

export const TextArea = ({
  filled = unfilled,
  hint,
  label,
  name,
  ...area
}: Shared &
  Pick<TextareaHTMLAttributes<HTMLTextAreaElement>, "maxLength" | "aria-keyshortcuts"> & {
    /** Name under which the browser keeps the text until it is sent. */
    readonly "data-draft"?: string
  }) => (
  <Around name={name} label={label} hint={hint} filled={filled}>
    <textarea {...described({ name, label, hint, filled })} value={filled.values[name] ?? ""} {...area} />
  </Around>
)

interface Choice {
  readonly value: string
  readonly label: string
}

export const Select = ({
  filled = unfilled,
  hint,
  isLabelHidden = false,
  label,
  name,
  options
}: Shared & { readonly options: ReadonlyArray<Choice>; readonly isLabelHidden?: boolean }) => (
  <Around name={name} label={label} hint={hint} filled={filled} isHidden={isLabelHidden}>
    <select {...described({ name, label, hint, filled })}>
      {options.map(({ label: text, value }) => (
        <option value={value} selected={value === filled.values[name]}>
          {text}
        </option>
      ))}
    </select>
  </Around>
)

/** Check boxes or radio buttons of one group; the values of a group of boxes are separated by spaces. */
export const Choices = ({
  filled = unfilled,
  label,
  name,
  options,
  type
}: Shared & {
  readonly type: "checkbox" | "radio"
  readonly options: ReadonlyArray<Choice & { readonly hint?: ComponentChildren }>
}) => {
  const chosen = (filled.values[name] ?? "").split(" ")
  const error = filled.errors[name]
  return (
    <fieldset {...(error !== undefined && { "aria-describedby": `${name}-error` })}>
      <legend class="label">{label}</legend>
      {options.map(({ hint, label: text, value }) => (
        <label class="choice">
          <input type={type} name={name} value={value} checked={chosen.includes(value)} />
          <span>{text}</span>
          {hint === undefined ? null : <small>{hint}</small>}
        </label>
      ))}
      <Problem id={`${name}-error`} text={error} />
    </fieldset>
  )
}

const CopyButton = () => (
  <button class="btn js-only" type="button" data-copy>
    <Icon name="copy" />
    <span>Copy</span>
  </button>
)

/** A read-only value with a button that copies it; without script it can be selected. */
export const Copy = ({ label, value }: { readonly label: string; readonly value: string }) => (
  <div class="copy">
    <input readonly value={value} aria-label={label} data-copy-text />
    <CopyButton />
  </div>
)

/** Lines to paste, with a button that copies them. */
export const CopyLines = ({ text }: { readonly text: string }) => (
  <div class="copy">
    <code class="lines" data-copy-text>
      {text}
    </code>
    <CopyButton />
  </div>
)
