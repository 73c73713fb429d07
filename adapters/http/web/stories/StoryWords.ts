import type { StoryView } from "../../../../domain/work/Story.ts"

export const classes: Readonly<Record<StoryView["classOfService"], string>> = {
  standard: "Standard",
  expedite: "Expedite",
  fixed_date: "Fixed date",
  intangible: "Intangible"
}

export const complexities: Readonly<Record<NonNullable<StoryView["complexity"]>, string>> = {
  low: "Low",
  medium: "Medium",
  high: "High"
}

export const platforms = { github: "GitHub", jira: "Jira", linear: "Linear" } as const

/** One entry for each line that is not empty. */
export const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
