import { cut, oneLine } from "../../domain/value/Text.ts"
import type { RunView } from "../../domain/work/Run.ts"
import type { Presentation } from "../ports/codehost/CodeHost.ts"

const marks = { passed: "✅", failed: "❌", skipped: "⏭️", pending: "⏳" } as const

/** Text of agents and gates as code: a host would notify people it mentions and close issues it names. */
const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return text.trim() === "" ? "" : `${fence}\n${text.trim()}\n${fence}`
}

/** The same in one cell of a table. */
const cell = (text: string | null): string => {
  const line = cut(oneLine((text ?? "").replaceAll(/[`|]/g, " ")).trim(), 200)
  return line === "" ? "" : `\`${line}\``
}

const evidenceOf = ({ evidence }: RunView): ReadonlyArray<string> => {
  if (evidence === null || evidence.gates.length === 0) return []
  const rows = evidence.gates.map(
    ({ name, status, summary }) => `| ${marks[status]} | ${cell(name)} | ${cell(summary)} |`
  )
  const { diff } = evidence
  return [
    ["| | Gate | Result |", "|---|---|---|", ...rows].join("\n"),
    ...(diff === null ? [] : [`${diff.files} files, +${diff.additions} −${diff.deletions}`])
  ]
}

/** The page of a run's pull request on its code host. */
export const presented = (
  run: RunView,
  { isVerified, summary, url }: Pick<Presentation, "isVerified" | "summary" | "url">
): Presentation => ({
  body: [`**${run.story.key}**, [${run.key}](${url}), attempt ${run.attempts}`, fenced(summary), ...evidenceOf(run)]
    .filter((part) => part !== "")
    .join("\n\n"),
  isVerified,
  summary: oneLine(summary),
  url
})
