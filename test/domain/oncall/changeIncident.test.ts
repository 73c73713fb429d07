import { assert, describe, it } from "@effect/vitest"
import { acknowledge, resolve } from "../../../domain/oncall/commands/ChangeIncident.ts"
import { deleteTeam } from "../../../domain/oncall/commands/DeleteTeam.ts"
import { deleteWorkspace } from "../../../domain/oncall/commands/DeleteWorkspace.ts"
import type { Incident } from "../../../domain/oncall/Incident.ts"
import type { IncidentKey } from "../../../domain/value/IncidentKey.ts"
import { Workspace, type WorkspaceId, type WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"
import { recorded, refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"
import { alert, allEnded, onCall, written } from "./CommandScene.ts"
import { incident, key } from "./FindingScene.ts"

const { ana, before, now } = Sample
const having = (more: Partial<Incident>) => onCall({ incidents: [{ incident: incident(more), firing: 1 }] })

describe("an incident", () => {
  it.each([
    ["that is missing", onCall(), "inc-zzzz" as IncidentKey, "IncidentNotFound", "IncidentNotFound"],
    ["that is over", having({ status: "resolved" }), key, "IncidentResolved", "IncidentResolved"],
    ["that Bob acknowledged", having({ acknowledgedBy: "Bob" }), key, "IncidentAcknowledged", null],
    ["that is open", onCall(), key, null, null]
  ])("%s is acknowledged and resolved, or not", (_, at, which, ofAcknowledging, ofResolving) => {
    assert.strictEqual(refusal(acknowledge(ana, which)(at)), ofAcknowledging)
    assert.strictEqual(refusal(resolve(ana, which)(at)), ofResolving)
  })

  it("names the person who acknowledged it", () =>
    assert.deepInclude(success(acknowledge(ana, key)(onCall())).result, { acknowledgedBy: "Ana", acknowledgedAt: now }))

  it("is resolved with its alerts", () =>
    assert.deepStrictEqual(written(success(resolve(ana, key)(onCall())).change), allEnded))
})

const unfinished = {
  unfinishedRuns: [Sample.run("running")],
  openIncidents: [{ incident: incident(), firing: 1 }],
  firingAlerts: [alert]
}

const ends = [
  "run_state_changed run run-aaaa",
  "decision_cancelled decision Which way?",
  "incident_resolved incident cpu is wrong"
]

it("a team is deleted with everything unfinished", () => {
  const at = { ...Sample.raising({ pending: [Sample.another] }), ...unfinished, freshJobs: [Sample.fresh.job] }
  const { change, result } = success(deleteTeam(ana)(at))
  assert.deepStrictEqual(result, { slug: at.team.slug })
  assert.deepStrictEqual(written(change), allEnded)
  assert.deepStrictEqual(
    change.changed?.runs?.map(({ latest }) => latest.status),
    ["stopped"]
  )
  assert.deepStrictEqual(recorded(change), ["team_deleted team Payments", ...ends])
})

describe("a workspace", () => {
  const slug = "acme" as WorkspaceSlug
  const id = "00000000-0000-4000-9000-000000000009" as WorkspaceId
  const workspace = new Workspace({ id, slug, name: "Acme", createdAt: before, deletedAt: null })
  const at = { now, workspace, members: [], ...unfinished, pendingDecisions: [Sample.another] }
  const deleted = { ...at, workspace: new Workspace({ ...workspace, deletedAt: before }) }

  it.each([
    ["that is missing", { ...at, workspace: null }, "acme", true, "WorkspaceNotFound"],
    ["that is deleted", deleted, "acme", true, "WorkspaceNotFound"],
    ["under another name", at, "other", true, "NotConfirmed"],
    ["that is deleted, to free its slug", deleted, "acme", false, null],
    ["that exists", at, "acme", true, null]
  ])("%s is deleted or not", (_, of, confirm, keepSlug, tag) =>
    assert.strictEqual(refusal(deleteWorkspace(ana, slug, confirm, keepSlug)(of)), tag)
  )

  it("is deleted with everything unfinished, and frees its slug if it is to", () => {
    const { change } = success(deleteWorkspace(ana, slug, slug, true)(at))
    assert.deepStrictEqual(recorded(change), ["workspace_deleted workspace Acme", ...ends])
    const slugs = (keepSlug: boolean) =>
      success(deleteWorkspace(ana, slug, slug, keepSlug)(at)).change.changed?.workspaces?.map((one) => one.slug)
    assert.deepStrictEqual([slugs(true), slugs(false)], [["acme"], ["acme-00000000"]])
  })
})
