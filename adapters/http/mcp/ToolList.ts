import { decisionTools } from "./tools/DecisionTools.ts"
import { incidentTools } from "./tools/IncidentTools.ts"
import { runTools } from "./tools/RunTools.ts"
import { storyTools } from "./tools/StoryTools.ts"
import { teamTools } from "./tools/TeamTools.ts"
import { tokenTools } from "./tools/TokenTools.ts"
import type { Tool } from "./Tool.ts"

/** Every tool, in the order of the list. */
export const tools: ReadonlyArray<Tool> = [
  ...storyTools,
  ...teamTools,
  ...runTools,
  ...decisionTools,
  ...incidentTools,
  ...tokenTools
]

const byName = new Map(tools.map((tool) => [tool.name, tool]))

export const find = (name: string): Tool | undefined => byName.get(name)
