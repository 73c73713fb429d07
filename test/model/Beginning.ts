import type { Role } from "../../domain/workspace/Member.ts"
import type { Settings } from "../../domain/workspace/Policy.ts"
import type { State, Story, Team } from "./Model.ts"
import type { Name, TeamName } from "./Steps.ts"

/** A Saturday evening before a new month. */
export const firstMoment = Date.UTC(2026, 0, 31, 20)

export const founders: ReadonlyArray<readonly [Name, Role]> = [
  ["owner", "owner"],
  ["admin", "admin"],
  ["member", "member"]
]

const policy: Settings = {
  executor: "codex",
  maxConcurrency: 2,
  budgets: { runCents: 200, dayCents: null, monthCents: null },
  planApproval: "large_stories",
  mergePolicy: "small_changes",
  deniedPaths: [".kanman/acceptance/**", "secrets/**"],
  acceptanceSpecRequired: true,
  gateFailureBudget: 1,
  mergeMaxLines: 10,
  decisionHours: 24
}

const content = {
  description: "Why it matters",
  acceptanceCriteria: [{ text: "It works" }],
  demonstrate: ["Show it"]
}

/** Both worlds begin with it: it sets every setting and story that the model needs. */
export const document = {
  teams: [
    { slug: "pay", name: "pay", keyPrefix: "PAY", policy: { preset: "standard", ...policy } },
    { slug: "web", name: "web", keyPrefix: "WEB" }
  ],
  stories: [
    { team: "pay", title: "First", column: { role: "ready" }, size: "s", ...content },
    { team: "pay", title: "Urgent", column: { role: "ready" }, size: "xl", classOfService: "expedite", ...content },
    { team: "pay", title: "Draft", column: { role: "ready" }, draft: true, ...content },
    { team: "web", title: "Shop", column: { role: "ready" }, ...content },
    {
      team: "web",
      title: "Tracked",
      tracker: { platform: "github", key: "#7", url: "https://example.test/7" },
      ...content
    }
  ]
}

const team = (slug: TeamName, settings: Settings | null): Team => ({
  slug,
  isPaused: false,
  isDeleted: false,
  version: settings === null ? 0 : 1,
  preset: settings === null ? null : "standard",
  policy: settings
})

const story = (key: string, title: string, more: Partial<Story> = {}): Story => ({
  key,
  team: key.startsWith("PAY") ? "pay" : "web",
  title,
  column: "ready",
  draft: false,
  isRejected: false,
  description: true,
  criteria: true,
  demonstrate: true,
  size: null,
  isExpedite: false,
  hasTracker: false,
  ...more
})

export const beginning = (): State => ({
  now: firstMoment,
  members: new Map(founders),
  teams: { pay: team("pay", policy), web: team("web", null) },
  stories: [
    story("PAY-1", "First", { size: "s" }),
    story("PAY-2", "Urgent", { size: "xl", isExpedite: true }),
    story("PAY-3", "Draft", { draft: true }),
    story("WEB-1", "Shop"),
    story("WEB-2", "Tracked", { column: "backlog", hasTracker: true })
  ],
  runs: [],
  decisions: [],
  jobs: [],
  audit: []
})
