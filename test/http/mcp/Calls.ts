import { Role } from "../../../domain/workspace/Member.ts"
import type { Place } from "../../application/house.ts"

const everyone = Role.literals
const admins: ReadonlyArray<Role> = ["admin", "owner"]

interface Call {
  readonly allowed: ReadonlyArray<Role>
  readonly given: (place: Place, role: Role) => Record<string, unknown>
  /** A part of the result. */
  readonly shows: string
  /** The entry that the call writes; none for a read. */
  readonly event?: string
}

/** Every tool with a call that succeeds for a member with the right. */
export const calls: Readonly<Record<string, Call>> = {
  get_story: { allowed: everyone, given: () => ({ story: "PAY-2" }), shows: '"demonstrate":["Show it"]' },
  list_stories: { allowed: everyone, given: () => ({ team: "payments", limit: 2 }), shows: '"nextCursor":"' },
  edit_story: {
    allowed: everyone,
    given: () => ({ story: "PAY-1", title: "Renamed" }),
    shows: '"title":"Renamed"',
    event: "story_changed"
  },
  move_story: {
    allowed: everyone,
    given: () => ({ story: "PAY-3", column: "backlog" }),
    shows: '"role":"backlog"',
    event: "story_moved"
  },
  approve_draft: {
    allowed: everyone,
    given: () => ({ story: "PAY-2" }),
    shows: '"draft":false',
    event: "story_changed"
  },
  reject_draft: {
    allowed: everyone,
    given: () => ({ story: "PAY-7" }),
    shows: '"rejected":true',
    event: "story_changed"
  },
  list_teams: { allowed: everyone, given: () => ({}), shows: '"slug":"payments"' },
  pause_team: { allowed: admins, given: () => ({ team: "payments" }), shows: '"paused":true', event: "team_paused" },
  resume_team: { allowed: admins, given: () => ({ team: "web" }), shows: '"paused":false', event: "team_resumed" },
  change_policy: {
    allowed: admins,
    given: () => ({ team: "payments", decisionHours: 5, budgets: { runCents: null } }),
    shows: '"decisionHours":5',
    event: "policy_changed"
  },
  list_runs: { allowed: everyone, given: () => ({ story: "PAY-4" }), shows: '"key":"run-cccc"' },
  get_run: { allowed: everyone, given: () => ({ run: "run-aaaa" }), shows: '"attemptList":[' },
  start_run: {
    allowed: everyone,
    given: () => ({ story: "PAY-3" }),
    shows: '"status":"queued"',
    event: "run_state_changed"
  },
  report_progress: {
    allowed: everyone,
    given: () => ({ run: "run-eeee", text: "Tests pass" }),
    shows: '"logged":true'
  },
  stop_run: {
    allowed: everyone,
    given: () => ({ run: "run-aaaa" }),
    shows: '"status":"stopped"',
    event: "run_state_changed"
  },
  retry_run: {
    allowed: everyone,
    given: () => ({ run: "run-cccc", note: "Once more" }),
    shows: '"attempts":2',
    event: "run_state_changed"
  },
  list_decisions: { allowed: everyone, given: () => ({ status: "pending" }), shows: '"key":"dec-aaaa"' },
  get_decision: { allowed: everyone, given: () => ({ decision: "dec-aaaa" }), shows: '"status":"pending"' },
  request_human_input: {
    allowed: everyone,
    given: () => ({ story: "PAY-6", question: "Which tax rate?" }),
    shows: '"status":"pending"',
    event: "decision_raised"
  },
  answer_decision: {
    allowed: everyone,
    given: () => ({ decision: "dec-aaaa", optionId: "yes" }),
    shows: '"resolvedVia":"mcp"',
    event: "decision_resolved"
  },
  list_incidents: { allowed: everyone, given: () => ({ status: "open" }), shows: '"status":"open"' },
  get_incident: {
    allowed: everyone,
    given: ({ onCall }) => ({ incident: onCall.incidents.open }),
    shows: '"alerts":['
  },
  acknowledge_incident: {
    allowed: everyone,
    given: ({ onCall }) => ({ incident: onCall.incidents.open }),
    shows: '"acknowledgedBy":"',
    event: "incident_updated"
  },
  create_token: {
    allowed: everyone,
    given: () => ({ name: "mine", permissions: ["read"], lifetime: "30d" }),
    shows: '"token":"tk_',
    event: "token_created"
  },
  revoke_token: {
    allowed: everyone,
    given: ({ tokens }, role) => ({ prefix: tokens[role] }),
    shows: '"revoked":true',
    event: "token_revoked"
  }
}
