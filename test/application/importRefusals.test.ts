import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import { TeamStore } from "../../application/ports/TeamStore.ts"
import * as Seed from "../support/Seed.ts"
import { base, decision, story, team } from "./importDocument.ts"

const uuid = "11111111-2222-4333-8444-555555555555"

it.layer(Memory.layer)("an import", (it) => {
  const refused = (name: string, document: unknown, path: string) =>
    it.effect(`refuses ${name} at '${path}'`, () =>
      Effect.gen(function* () {
        const { id, slug } = yield* Seed.workspace
        const error = yield* Effect.flip(Seed.load(slug, document))
        assert.strictEqual(error._tag, "InvalidDocument")
        assert.strictEqual("path" in error ? error.path : "", path, error.message)
        assert.strictEqual(yield* (yield* TeamStore).list(id), "[]")
      })
    )
  refused("an array", [], "")
  refused("nothing", {}, "")
  refused("text", "teams", "")
  refused("an unknown list", { ...base, people: [] }, "people")
  refused("an unknown field", { teams: [{ ...team, colour: "red" }] }, "teams[0].colour")
  refused("a team without a name", { teams: [{ slug: "a", keyPrefix: "A" }] }, "teams[0].name")
  refused("a slug with a space", { teams: [{ ...team, slug: "pay ments" }] }, "teams[0].slug")
  refused("two teams of one slug", { teams: [team, { ...team, keyPrefix: "P2" }] }, "teams[1].slug")
  refused("two teams of one prefix", { teams: [team, { ...team, slug: "p2" }] }, "teams[1].keyPrefix")
  refused(
    "a policy without its guard",
    { teams: [{ ...team, policy: { preset: "standard", acceptanceSpecRequired: false } }] },
    "teams[0].policy"
  )
  refused(
    "a pause that contradicts itself",
    { teams: [{ ...team, paused: false, policy: { pausedAt: "2026-01-01" } }] },
    "teams[0].paused"
  )
  refused("a story of no team", { ...base, stories: [{ ...story, team: "nobody" }] }, "stories[0].team")
  refused("a story key of another team", { ...base, stories: [{ ...story, key: "WEB-1" }] }, "stories[0].key")
  refused("a score over 100", { ...base, stories: [{ ...story, readinessScore: 101 }] }, "stories[0].readinessScore")
  refused("an impossible date", { ...base, stories: [{ ...story, createdAt: "2026-02-30" }] }, "stories[0].createdAt")
  refused("NUL", { ...base, stories: [{ ...story, title: "a\u0000" }] }, "stories[0].title")
  refused("a team named on two lines", { teams: [{ ...team, name: "Pay\nments" }] }, "teams[0].name")
  refused("a title on two lines", { ...base, stories: [{ ...story, title: "Refund\nin part" }] }, "stories[0].title")
  refused(
    "a service named with a control character",
    { ...base, services: [{ team: "payments", name: "check\u0007out" }] },
    "services[0].name"
  )
  refused(
    "a coding agent that turns the direction of text",
    { teams: [{ ...team, policy: { preset: "standard", executor: "\u202Ecodex" } }] },
    "teams[0].policy.executor"
  )
  refused(
    "a coding agent of a run on two lines",
    { ...base, runs: [{ story: "PAY-1", executor: "co\ndex" }] },
    "runs[0].executor"
  )
  refused(
    "a title of a decision on two lines",
    { ...base, decisions: [{ ...decision, title: "Which\ncurrency?" }] },
    "decisions[0].title"
  )
  refused("a run of no story", { ...base, runs: [{ story: "PAY-9" }] }, "runs[0].story")
  refused("a run of another team", { ...base, runs: [{ story: "PAY-1", team: "web" }] }, "runs[0].team")
  refused("an unknown status", { ...base, runs: [{ story: "PAY-1", status: "busy" }] }, "runs[0].status")
  refused("attempts without a list", { ...base, runs: [{ story: "PAY-1", attempts: 2 }] }, "runs[0].attempts")
  refused(
    "attempts out of order",
    { ...base, runs: [{ story: "PAY-1", attemptList: [{ attempt: 2 }] }] },
    "runs[0].attemptList[0].attempt"
  )
  refused(
    "a status its attempts deny",
    { ...base, runs: [{ story: "PAY-1", status: "failed", attemptList: [{ status: "running" }] }] },
    "runs[0].status"
  )
  refused(
    "one option",
    { ...base, decisions: [{ ...decision, team: "web", options: Seed.options.slice(0, 1) }] },
    "decisions[0].options"
  )
  refused(
    "an action of another kind",
    { ...base, decisions: [{ ...decision, team: "web", kind: "clarification" }] },
    "decisions[0].options[0].action"
  )
  refused(
    "a recommendation that is no option",
    { ...base, decisions: [{ ...decision, team: "web", recommendation: "z" }] },
    "decisions[0].recommendation"
  )
  refused("a decision without a place among several teams", { ...base, decisions: [decision] }, "decisions[0].team")
  refused(
    "a story that is not its run's",
    {
      ...base,
      runs: [{ story: "PAY-1", key: "run-aaaa" }],
      decisions: [{ ...decision, run: "run-aaaa", story: "WEB-1" }]
    },
    "decisions[0].story"
  )
  refused(
    "a team that is not its story's",
    { ...base, decisions: [{ ...decision, story: "PAY-1", team: "web" }] },
    "decisions[0].team"
  )
  refused("a run that is not there", { ...base, decisions: [{ ...decision, run: "run-zzzz" }] }, "decisions[0].run")
  refused(
    "a note of 4,001 characters",
    {
      ...base,
      decisions: [
        { ...decision, team: "web", status: "resolved", resolution: { optionId: "yes", note: "😀".repeat(4001) } }
      ]
    },
    "decisions[0].resolution.note"
  )
  refused(
    "a resolved decision without its resolution",
    { ...base, decisions: [{ ...decision, team: "web", status: "resolved" }] },
    "decisions[0].resolution"
  )
  refused(
    "a resolved decision whose resolution is null",
    { ...base, decisions: [{ ...decision, team: "web", status: "resolved", resolution: null }] },
    "decisions[0].resolution"
  )
  refused(
    "an answer to a pending decision",
    { ...base, decisions: [{ ...decision, team: "web", resolvedVia: "app" }] },
    "decisions[0].resolvedVia"
  )
  refused(
    "a tracker without a web address",
    { ...base, stories: [{ ...story, tracker: { platform: "jira", key: "P-1", url: "javascript:1" } }] },
    "stories[0].tracker.url"
  )
  refused(
    "two stories of one id",
    {
      ...base,
      stories: [
        { ...story, id: uuid },
        { ...story, id: uuid }
      ]
    },
    "stories[1].id"
  )
  refused(
    "two teams of one id",
    {
      teams: [
        { ...team, id: uuid },
        { slug: "web", name: "Web", keyPrefix: "WEB", id: uuid }
      ]
    },
    "teams[1].id"
  )
  refused("a service of no team", { ...base, services: [{ team: "nobody", name: "api" }] }, "services[0].team")
  refused(
    "an unknown time zone",
    {
      ...base,
      services: [
        {
          team: "web",
          name: "api",
          settings: { hours: { days: ["mon"], start: "22:00", end: "06:00", timeZone: "Mars/Olympus" } }
        }
      ]
    },
    "services[0].settings.hours.timeZone"
  )
})
