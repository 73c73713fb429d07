import type { DateTime } from "effect"
import type { By } from "../workspace/Actor.ts"
import type { Change } from "../Change.ts"
import { queue } from "./QueueRun.ts"
import type { Run } from "./Run.ts"
import type { RunKey } from "../value/RunKey.ts"
import { columnOf, readiness, Story, type StoryId, type StoryKey } from "./Story.ts"
import type { Team } from "../workspace/Team.ts"

/** Creates a story that goes before all others, and its run; a paused team starts it after it is resumed. */
export const expediteFix = (
  by: By,
  {
    fresh,
    now,
    team
  }: {
    readonly now: DateTime.Utc
    readonly team: Team
    readonly fresh: { readonly story: StoryId; readonly storyKey: StoryKey; readonly run: RunKey }
  },
  { description, note, title }: { readonly title: string; readonly description: string; readonly note: string | null }
): { readonly story: Story; readonly run: Run | null; readonly audit: Change["audit"] | [] } => {
  const content = { description: description === "" ? null : description, acceptanceCriteria: [], demonstrate: [] }
  const story = new Story({
    ...content,
    id: fresh.story,
    key: fresh.storyKey,
    title,
    team: team.slug,
    column: columnOf("ready"),
    draft: false,
    readinessScore: readiness(content),
    size: null,
    complexity: null,
    classOfService: "expedite",
    tracker: null,
    createdAt: now,
    updatedAt: now,
    testPlan: null,
    returnNote: note,
    rejectedAt: null
  })
  if (team.pausedAt !== null) return { story, run: null, audit: [] }
  return queue(by, { key: fresh.run, now, story, team })
}
