import { Copy, CopyLines } from "../components/Form.tsx"

interface Step {
  readonly text: string
  /** Text to paste. */
  readonly code: ReadonlyArray<string>
}

/** Groups the lines of a tool's set-up: what follows a line indented, or between empty lines, is text to paste. */
export const stepsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Step> => {
  const steps: Array<{ text: string; code: Array<string> }> = []
  let isCode = false
  for (const line of lines) {
    if (line === "") isCode = !isCode
    else if ((isCode || line.startsWith("  ")) && steps.length > 0) steps.at(-1)?.code.push(line)
    else steps.push({ text: line, code: [] })
  }
  return steps.map(({ code, text }) => {
    const indent = Math.min(...code.map((line) => line.length - line.trimStart().length))
    return { text, code: code.map((line) => line.slice(indent)) }
  })
}

const label = /^([A-Z][\w '-]*(?: \([^)]*\))?): (\S.*)$/

/** A value to paste with its label, or a block of text. */
const Paste = ({ code }: Pick<Step, "code">) => {
  const fields = code.map((line) => label.exec(line))
  return fields.every((field) => field !== null) ? (
    <>
      {fields.map((field) => (
        <div class="field">
          <span class="label">{field?.[1]}</span>
          <Copy label={field?.[1] ?? ""} value={field?.[2] ?? ""} />
        </div>
      ))}
    </>
  ) : (
    <CopyLines text={code.join("\n")} />
  )
}

/** The steps to set a tool up, each with a button that copies what to paste. */
export const SetupSteps = ({ lines }: { readonly lines: ReadonlyArray<string> }) => (
  <ol class="setup">
    {stepsOf(lines).map(({ code, text }) => {
      const field = label.exec(text)
      const isAddress = field !== null && /^\S*:\/\/\S+$|Bearer /.test(field[2] ?? "")
      return (
        <li>
          {isAddress ? (
            <Paste code={[text]} />
          ) : (
            <>
              <p>{text}</p>
              {code.length > 0 ? <Paste code={code} /> : null}
            </>
          )}
        </li>
      )
    })}
  </ol>
)
