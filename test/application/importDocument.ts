import * as Seed from "../support/Seed.ts"

export const team = { slug: "payments", name: "Payments", keyPrefix: "PAY" }
export const story = { team: "payments", title: "Story" }
export const decision = { kind: "plan_approval", title: "?", recommendation: "yes", options: Seed.options }
export const base = {
  teams: [team, { slug: "web", name: "Web", keyPrefix: "WEB" }],
  stories: [story, { team: "web", title: "Page" }]
}
