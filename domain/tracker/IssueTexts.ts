import { cut, parseUrl } from "../value/Text.ts"
import type { RunKey } from "../value/RunKey.ts"
import type { RunView } from "../work/Run.ts"
import type { Story } from "../work/Story.ts"
import type { BindingId } from "./Binding.ts"
import { storyMarker } from "./MirroredIssue.ts"

/** GitHub refuses a longer body. */
const longestBody = 65_000

/** A character without a glyph parts `@` from the name, so that nobody is notified; the mirror leaves it out again. */
const withoutMentions = (text: string): string => text.replace(/(?<![\p{L}\p{N}_])@(?=[\p{L}\p{N}])/gu, "@\u2060")

/** Body of an issue that is read back as the same story, up to the longest that a tracker takes. */
export const bodyOf = (
  story: Pick<Story, "id" | "description" | "demonstrate" | "testPlan"> & {
    readonly acceptanceCriteria: ReadonlyArray<{ readonly text: string }>
  }
): string => {
  const { acceptanceCriteria, demonstrate, description, id, testPlan } = story
  const text = [
    description ?? "",
    acceptanceCriteria.length === 0
      ? ""
      : ["## Acceptance criteria", "", ...acceptanceCriteria.map(({ text }) => `- [ ] ${text}`)].join("\n"),
    demonstrate.length === 0
      ? ""
      : ["## Demonstrate", "", ...demonstrate.map((step, index) => `${index + 1}. ${step}`)].join("\n"),
    testPlan === null ? "" : `## Test plan\n\n${testPlan}`
  ]
    .filter((part) => part !== "")
    .join("\n\n")
  return [...(text === "" ? [] : [cut(withoutMentions(text), longestBody)]), storyMarker(id)].join("\n\n")
}

/** Hidden text in the comment on a run. The binding keeps two services on one project apart. */
export const runMarker = (binding: BindingId, run: RunKey): string => `<!-- gatehouse:run:${binding}:${run} -->`

/** Text of agents as code: a tracker would notify people it mentions. */
const fenced = (text: string): string => {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = "`".repeat(longest + 1)
  return `${fence}\n${text.trim()}\n${fence}`
}

/** An address that a link of Markdown holds as a whole. */
const linked = (address: string): string =>
  (parseUrl(address)?.href ?? "").replace(/[()<>\\`]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const words: Record<RunView["status"], string> = {
  queued: "waits for a runner",
  running: "works on this issue",
  waiting: "waits for an answer",
  succeeded: "is done",
  failed: "failed",
  timed_out: "ended, because nobody answered",
  stopped: "was stopped"
}

/** The one comment on a run: its state, plan, pull request and decisions. */
export const runComment = (
  run: Pick<RunView, "key" | "status" | "attempts" | "pullRequest" | "decisions">,
  { binding, plan, pages }: { readonly binding: BindingId; readonly plan: string | null; readonly pages: string }
): string => {
  const attempt = run.attempts > 1 ? `, attempt ${run.attempts}` : ""
  const decisions = run.decisions.toReversed().map(({ key, kind, status }) => {
    const name = kind.replaceAll("_", " ")
    return `- [${key}](${pages}/decisions/${key}) ${name}: ${status}`
  })
  return [
    `[${run.key}](${pages}/runs/${run.key})${attempt} ${words[run.status]}.`,
    run.pullRequest === null ? "" : `Pull request: [#${run.pullRequest.number}](${linked(run.pullRequest.url)})`,
    decisions.length === 0 ? "" : ["Decisions:", "", ...decisions].join("\n"),
    plan === null || plan.trim() === ""
      ? ""
      : `<details><summary>Plan</summary>\n\n${fenced(cut(plan, 20_000))}\n\n</details>`,
    runMarker(binding, run.key)
  ]
    .filter((part) => part !== "")
    .join("\n\n")
}
