import type { ComponentChildren } from "preact"

interface Choice {
  readonly value: string
  readonly label: ComponentChildren
  readonly hint?: ComponentChildren
}

/** Check boxes or radio buttons whose values may be any text. */
export const Boxes = ({
  chosen,
  error,
  isSide = false,
  label,
  name,
  options,
  type
}: {
  readonly name: string
  readonly label: ComponentChildren
  readonly type: "checkbox" | "radio"
  readonly chosen: ReadonlyArray<string>
  readonly options: ReadonlyArray<Choice>
  readonly error?: string | undefined
  /** True when hints stand beside the labels. */
  readonly isSide?: boolean
}) => (
  <fieldset class="field" {...(error !== undefined && { "aria-describedby": `${name}-error` })}>
    <legend class="label">{label}</legend>
    <div>
      {options.map(({ hint, label: words, value }) => (
        <label class={isSide ? "choice side" : "choice"}>
          <input type={type} name={name} value={value} checked={chosen.includes(value)} />
          <span>{words}</span>
          {hint === undefined ? null : <small>{hint}</small>}
        </label>
      ))}
    </div>
    {error === undefined ? null : (
      <p class="error" id={`${name}-error`}>
        {error}
      </p>
    )}
  </fieldset>
)

/** A setting that is on or off. */
export const Switch = ({
  children,
  isOn,
  label,
  name
}: {
  readonly name: string
  readonly label: string
  readonly isOn: boolean
  readonly children: ComponentChildren
}) => (
  <div class="setting has-sw">
    <h3 id={`${name}-label`}>{label}</h3>
    <label class="sw">
      <input type="checkbox" role="switch" name={name} value="on" aria-labelledby={`${name}-label`} checked={isOn} />
      <span class="on" aria-hidden="true">
        On
      </span>
      <span class="off" aria-hidden="true">
        Off
      </span>
    </label>
    <p>{children}</p>
  </div>
)
