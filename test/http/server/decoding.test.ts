import { Either, Schema } from "effect"
import { assert, it } from "vitest"
import { find } from "../../../adapters/http/mcp/ToolList.ts"
import { Hello } from "../../../adapters/api/RunnerApi.ts"
import { decoded } from "../../../adapters/http/server/Decoding.ts"
import { Timestamp } from "../../../domain/value/Timestamp.ts"
import { LeaseId } from "../../../domain/work/Lease.ts"
import { introduction } from "../runner/Wire.ts"

const told = (schema: Schema.Schema.AnyNoContext, body: unknown) =>
  Either.match(decoded(schema, body), { onLeft: ({ message }) => message, onRight: () => "taken" })

const columns = "backlog, refining, ready, in_progress, review, done"

it.each<readonly [string, Record<string, unknown>, string]>([
  ["move_story", { story: "PAY-1", column: "bogus" }, `column must be one of ${columns}; got 'bogus'.`],
  ["move_story", { story: "PAY-1", column: 5 }, `column must be one of ${columns}; got 5.`],
  ["move_story", { column: "ready" }, "story must be text; got nothing."],
  ["list_runs", { limit: 0 }, "limit must be a whole number from 1 to 100; got 0."],
  ["list_runs", { limit: 1.5 }, "limit must be a whole number from 1 to 100; got 1.5."],
  ["list_runs", { limit: "ten" }, "limit must be a whole number from 1 to 100; got 'ten'."],
  ["list_stories", { team: "web", drafts: "yes" }, "drafts must be true or false; got 'yes'."],
  ["list_stories", { team: "a\0" }, "team must not hold NUL or lone surrogate characters; got 'a\0'."],
  ["edit_story", { story: "PAY-1", size: "huge" }, "size must be one of xs, s, m, l, xl or null; got 'huge'."],
  ["edit_story", { story: "PAY-1", demonstrate: "x" }, "demonstrate must be an array; got 'x'."],
  ["edit_story", { story: "PAY-1", demonstrate: [1] }, "demonstrate.0 must be text; got 1."],
  ["edit_story", { story: "PAY-1", updatedAt: "today" }, "updatedAt must be an ISO 8601 timestamp; got 'today'."],
  [
    "create_token",
    { name: "ci", permissions: [], lifetime: "30d" },
    "permissions must be an array of at least 1 item, each one of read, write, delete, admin; got []."
  ],
  [
    "create_token",
    { name: " ", permissions: ["all"], lifetime: "2d" },
    "name must be on one line, with a visible character, without control characters or changes of direction; got ' '. permissions.0 must be one of read, write, delete, admin; got 'all'. lifetime must be one of 30d, 90d, 1y; got '2d'."
  ],
  ["report_progress", { run: "run-aaaa", text: "  " }, "text must not be empty or blank; got '  '."],
  [
    "report_progress",
    { run: "run-aaaa", text: "x".repeat(900_000) },
    `text must be text of at most 4000 characters; got '${"x".repeat(99)}…'.`
  ]
])("%s with %j is told the rule and the value once: %s", (name, given, message) => {
  assert.strictEqual(told(find(name)?.input ?? Schema.Undefined, given), message)
})

it.each<readonly [unknown, string]>([
  [[], "The body must be an object; got []."],
  ["x", "The body must be an object; got 'x'."],
  [{ ...introduction, slots: 101 }, "slots must be a whole number from 1 to 100; got 101."],
  [{ ...introduction, teams: ["No Slug"] }, "teams.0 must be lowercase words joined by hyphens; got 'No Slug'."],
  [{ ...introduction, teams: "web" }, "teams must be an array of at most 100 items; got 'web'."]
])("the wire of runners refuses %j: %s", (body, message) => {
  assert.strictEqual(told(Hello, body), message)
})

it("an id and a time are named in words", () => {
  assert.match(told(LeaseId, "x"), /^The body must be a .*UUID.*; got 'x'\.$/)
  assert.strictEqual(told(Timestamp, 5), "The body must be text; got 5.")
})
