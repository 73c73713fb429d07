import type { DateTime } from "effect"
import type { By } from "../workspace/Actor.ts"
import type { Change } from "../Change.ts"
import type { Fresh } from "./Fresh.ts"
import { queue } from "./QueueRun.ts"
import type { Run } from "./Run.ts"
import { newStory, type Story } from "./Story.ts"
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
    readonly fresh: Fresh
  },
  { description, note, title }: { readonly title: string; readonly description: string; readonly note: string | null }
): { readonly story: Story; readonly run: Run | null; readonly audit: Change["audit"] | [] } => {
  const story = newStory({
    id: fresh.story,
    key: fresh.storyKey,
    title,
    description,
    team: team.slug,
    role: "ready",
    draft: false,
    classOfService: "expedite",
    returnNote: note,
    now
  })
  if (team.pausedAt !== null) return { story, run: null, audit: [] }
  return queue(by, { key: fresh.run, now, story, team })
}
