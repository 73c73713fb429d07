import type { LeaseGrant } from "../../../application/runner/LeaseGrant.ts"
import { oneLine } from "../../../domain/value/Text.ts"
import type { Step } from "../agent/Agent.ts"

type Input = LeaseGrant["inputs"][number]

const inputs = (all: ReadonlyArray<Input>): ReadonlyArray<string> =>
  all.length === 0
    ? []
    : [
        "## What people said",
        ...all.map(({ action, decision, note }) => {
          const words = [action?.replaceAll("_", " ") ?? "note", decision === null ? "" : `(${decision})`]
            .join(" ")
            .trim()
          return `- ${words}: ${note ?? "no note"}`
        })
      ]

const criteria = (story: LeaseGrant["story"]): ReadonlyArray<string> =>
  story.acceptanceCriteria.length === 0
    ? []
    : ["## Acceptance criteria", ...story.acceptanceCriteria.map(({ id, text }) => `- ${id}: ${text}`)]

/** The folder that only the step `spec` may write. */
export const specFolder = (story: string) => `.kanman/acceptance/${story}`

const section = (title: string, text: string | null): ReadonlyArray<string> =>
  text === null || text.trim() === "" ? [] : [`## ${title}`, text.trim()]

const tasks: Record<Step, (story: string) => string> = {
  plan: () => "Write a plan for this story as your output. Change no files.",
  spec: (story) =>
    `Write checks for the acceptance criteria into ${specFolder(story)}/, and change nothing else. A check is an executable file that exits with 0 when its criterion is met; name it after the id of its criterion. Before the work at least one must fail. Do not implement the story yet.`,
  implement: (story) =>
    `Implement this story in the working directory. Do not change ${specFolder(story)} or any other file in .kanman. Do not commit or push: that is done for you.`,
  rework: () => "Your change did not pass its verification. Correct it in the working directory."
}

export interface Brief {
  readonly plan: string | null
  readonly inputs: ReadonlyArray<Input>
  readonly failure: string | null
  readonly denied: ReadonlyArray<string>
  readonly base: string
  /** Files whose conflict with the base is not resolved. */
  readonly conflicts: ReadonlyArray<string>
}

const conflicts = ({ base, conflicts: files }: Brief): ReadonlyArray<string> =>
  files.length === 0
    ? []
    : [
        `## Conflicts with ${base}`,
        `The branch ${base} changed the same places as an earlier attempt. Its changes are merged into the working directory, except for the conflicts in these files. Resolve them so that the story and the change of ${base} both hold, and leave no conflict marker. A file without markers was deleted, renamed or replaced on one side: keep, change or delete it as the story and ${base} need it. origin/${base} is the branch as it is now, HEAD the earlier attempt.`,
        files.map((file) => `- ${oneLine(file)}`).join("\n")
      ]

/** The prompt of one step. Texts of the story are material, and are marked as such. */
export const promptOf = (step: Step, { run, story }: LeaseGrant, brief: Brief): string =>
  [
    `# ${story.key}: ${story.title}`,
    `Step: ${step}, attempt ${run.attempt} of ${run.key}`,
    tasks[step](story.key),
    ...section("Story", story.description),
    ...criteria(story),
    ...(story.demonstrate.length === 0 ? [] : ["## Demonstrate", ...story.demonstrate.map((text) => `- ${text}`)]),
    ...section("Test plan", story.testPlan),
    ...section("Plan", step === "plan" ? null : brief.plan),
    ...(step === "implement" || step === "rework"
      ? section("Paths you may not change", brief.denied.map((glob) => `- ${glob}`).join("\n"))
      : []),
    ...(step === "implement" ? conflicts(brief) : []),
    ...inputs(brief.inputs),
    ...section("Verification that failed", brief.failure)
  ].join("\n\n")
