import { onCallRows } from "./onCallRows.ts"
import { agentRows } from "./agentRows.ts"
import { runnerRows } from "./runnerRows.ts"
import { storyRows } from "./storyRows.ts"
import type { Row } from "./OnRecordRow.ts"
import { DateTime, Effect } from "effect"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Import from "../../application/work/Import.ts"
import * as Members from "../../application/workspace/Members.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Scheduler from "../../application/work/Scheduler.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import { acts, answer, leaver, newTeam, newToken, payments, question, run, story, web } from "./house.ts"

const nobody = "nobody" as TeamSlug

const nowhere = "nowhere" as WorkspaceSlug

const teams = { teams: [{ slug: "shop", name: "Shop", keyPrefix: "SHOP" }] }

const created = ["team_created team shop"]

const fromElsewhere = (slug: WorkspaceSlug) => ({ slug, name: "Acme", owner: { email: leaver, name: "Lena" } })

const workspaceDeleted = [
  "workspace_deleted workspace",
  ...["payments", "payments", "payments", "web", "forge", "forge", "forge"].map(
    (team) => `run_state_changed run ${team} run`
  ),
  "decision_cancelled decision payments run",
  "decision_cancelled decision web",
  ...Array.from({ length: 2 }, () => "incident_resolved incident payments"),
  ...Array.from({ length: 2 }, () => "runner_offline runner")
]

/** Every use case that changes stored data. */
export const rows: Readonly<Record<string, Row>> = {
  ...onCallRows,
  ...runnerRows,
  ...agentRows,
  ...storyRows,
  "AuditExport.exportFile": {
    act: acts["AuditExport.exportFile"],
    entries: ["audit_exported audit_export"],
    isRecordOnly: true
  },
  "Decisions.answer": {
    act: acts["Decisions.answer"],
    entries: ["decision_resolved decision payments run", "run_state_changed run payments run"],
    refusals: {
      UnknownOption: (_, person) => Decisions.answer(person, answer("nope")),
      DecisionExpired: (_, person) => Decisions.answer(person, answer("yes", "dec-bbbb")),
      DecisionNotFound: (_, person) => Decisions.answer(person, answer("yes", "dec-0000")),
      NoteTooLong: (_, person) => Decisions.answer(person, answer("yes", "dec-aaaa", "x".repeat(4001)))
    }
  },
  "Decisions.raise": {
    act: acts["Decisions.raise"],
    entries: ["decision_raised decision payments run", "run_state_changed run payments run"],
    refusals: {
      InvalidDecision: (_, person) => Decisions.raise(person, { team: payments }, { ...question, options: [] }),
      RunOver: (_, person) => Decisions.raise(person, { run: run("run-cccc") }, question),
      RunNotRunning: (_, person) => Decisions.raise(person, { run: run("run-dddd") }, question),
      RunNotFound: (_, person) => Decisions.raise(person, { run: run("run-0000") }, question),
      StoryNotFound: (_, person) => Decisions.raise(person, { story: story("PAY-99") }, question),
      TeamNotFound: (_, person) => Decisions.raise(person, { team: nobody }, question)
    }
  },
  "Decisions.expireDue": {
    act: () => Decisions.expireDue(),
    actor: "system",
    entries: ["decision_expired decision web"]
  },
  "Import.load": {
    act: ({ slug }) => Import.load(bySystem, slug, teams),
    actor: "system",
    entries: created,
    refusals: {
      InvalidDocument: ({ slug }) => Import.load(bySystem, slug, { ...teams, runs: [{ story: "PAY-99" }] }),
      WorkspaceNotFound: () => Import.load(bySystem, nowhere, teams)
    }
  },
  "Import.write": {
    act: ({ slug }) => Import.write(bySystem, slug, teams),
    actor: "system",
    entries: created,
    refusals: { InvalidDocument: ({ slug }) => Import.write(bySystem, slug, {}) }
  },
  "Members.add": {
    act: acts["Members.add"],
    entries: ["member_added member"],
    refusals: {
      MemberExists: ({ slug }, person) =>
        Members.add(person, { workspace: slug, email: leaver, name: "Lena", role: "admin" })
    }
  },
  "Members.set": {
    act: acts["Members.set"],
    entries: ["member_role_changed member"],
    refusals: {
      LastOwner: ({ slug }, person) => Members.set(person, { workspace: slug, email: Seed.ownerEmail, role: "admin" }),
      MemberNotFound: ({ slug }, person) =>
        Members.set(person, { workspace: slug, email: "no@acme.test", role: "admin" }),
      RoleAlreadySet: ({ slug }, person) => Members.set(person, { workspace: slug, email: leaver, role: "member" })
    }
  },
  "Members.remove": {
    act: acts["Members.remove"],
    entries: ["member_removed member"],
    refusals: {
      LastOwner: ({ slug }, person) => Members.remove(person, { workspace: slug, email: Seed.ownerEmail }),
      MemberNotFound: ({ slug }, person) => Members.remove(person, { workspace: slug, email: "no@acme.test" })
    }
  },
  "Runs.finish": {
    act: acts["Runs.finish"],
    entries: ["run_state_changed run payments run", "story_moved story payments run"],
    refusals: {
      RunOver: (_, person) => Runs.finish(person, run("run-cccc"), "failed"),
      RunNotRunning: (_, person) => Runs.finish(person, run("run-dddd"), "failed")
    }
  },
  "Runs.lease": {
    act: acts["Runs.lease"],
    entries: ["run_state_changed run payments run"],
    refusals: {
      RunNotQueued: (_, person) => Runs.lease(person, { team: null, run: run("run-mmmm") }),
      RunNotFound: (_, person) => Runs.lease(person, { team: null, run: run("run-0000") }),
      TeamIsPaused: (_, person) => Runs.lease(person, { team: null, run: run("run-ffff") })
    }
  },
  "Runs.report": {
    act: acts["Runs.report"],
    entries: ["run_state_changed run payments run", "story_moved story payments run"],
    refusals: {
      RunOver: (_, person) => Runs.report(person, run("run-cccc"), [{ type: "merged" }]),
      RunNotRunning: (_, person) => Runs.report(person, run("run-aaaa"), [{ type: "merged" }])
    }
  },
  "Runs.retry": {
    act: acts["Runs.retry"],
    entries: ["run_state_changed run payments run", "story_moved story payments run"],
    refusals: { RunNotOver: (_, person) => Runs.retry(person, run("run-dddd"), null) }
  },
  "Runs.start": {
    act: acts["Runs.start"],
    entries: ["run_state_changed run payments run", "story_moved story payments run"],
    refusals: {
      TeamIsPaused: (_, person) => Runs.start(person, story("WEB-1")),
      StoryIsDraft: (_, person) => Runs.start(person, story("PAY-2")),
      StoryIsWorkedOn: (_, person) => Runs.start(person, story("PAY-5"))
    }
  },
  "Runs.stop": {
    act: acts["Runs.stop"],
    entries: ["run_state_changed run payments run", "decision_cancelled decision payments run"],
    refusals: { RunOver: (_, person) => Runs.stop(person, run("run-cccc")) }
  },
  "Scheduler.tick": {
    act: () => Scheduler.tick(),
    actor: "service",
    entries: ["run_state_changed run payments run", "story_moved story payments run"]
  },
  "Teams.create": {
    act: acts["Teams.create"],
    entries: created,
    refusals: { InvalidDocument: (_, person) => Teams.create(person, { ...newTeam, slug: payments }) }
  },
  "Teams.pause": {
    act: acts["Teams.pause"],
    entries: ["team_paused team payments"],
    refusals: {
      TeamAlreadyPaused: (_, person) => Teams.pause(person, web),
      TeamNotFound: (_, person) => Teams.pause(person, nobody)
    }
  },
  "Teams.remove": {
    act: acts["Teams.remove"],
    entries: [
      "team_deleted team payments",
      ...Array.from({ length: 3 }, () => "run_state_changed run payments run"),
      "decision_cancelled decision payments run",
      ...Array.from({ length: 2 }, () => "incident_resolved incident payments")
    ],
    refusals: {
      NotConfirmed: (_, person) => Teams.remove(person, payments, "web"),
      TeamNotFound: (_, person) => Teams.remove(person, nobody, nobody)
    }
  },
  "Teams.resume": {
    act: acts["Teams.resume"],
    entries: ["team_resumed team web"],
    refusals: { TeamNotPaused: (_, person) => Teams.resume(person, payments) }
  },
  "Teams.set": {
    act: acts["Teams.set"],
    entries: ["team_changed team payments"],
    refusals: {
      InvalidTeam: (_, person) => Teams.set(person, payments, { repositories: [""] }),
      ChangedMeanwhile: (_, person) => Teams.set(person, payments, { repositories: [] }, DateTime.unsafeMake(1)),
      TeamUnchanged: (_, person) => Teams.set(person, payments, { repositories: [] }),
      TeamNotFound: (_, person) => Teams.set(person, nobody, { repositories: [] })
    }
  },
  "Teams.setPolicy": {
    act: acts["Teams.setPolicy"],
    entries: ["policy_changed policy payments"],
    refusals: {
      InvalidPolicy: (_, person) => Teams.setPolicy(person, payments, { settings: { acceptanceSpecRequired: false } }),
      PolicyChangedMeanwhile: (_, person) => Teams.setPolicy(person, payments, { settings: { decisionHours: 6 } }, 99)
    }
  },
  "Tokens.create": {
    act: acts["Tokens.create"],
    entries: ["token_created token"],
    refusals: {
      MemberNotFound: ({ slug }, person) =>
        Tokens.create(person, { ...newToken, workspace: slug, member: "no@acme.test" })
    }
  },
  "Tokens.revoke": {
    act: acts["Tokens.revoke"],
    entries: ["token_revoked token"],
    refusals: { TokenNotFound: ({ slug }, person) => Tokens.revoke(person, { workspace: slug, prefix: "tk_nothing0" }) }
  },
  "Workspaces.remove": {
    act: ({ slug }) => Workspaces.remove(bySystem, { slug, confirm: slug }),
    actor: "system",
    entries: workspaceDeleted,
    refusals: {
      NotConfirmed: ({ slug }) => Workspaces.remove(bySystem, { slug, confirm: "yes" }),
      WorkspaceNotFound: () => Workspaces.remove(bySystem, { slug: nowhere, confirm: nowhere })
    }
  },
  "Workspaces.rename": {
    act: ({ slug }) => Workspaces.rename(bySystem, { slug, to: `${slug}-new` as WorkspaceSlug }),
    actor: "system",
    entries: ["workspace_changed workspace"],
    refusals: {
      WorkspaceNotFound: () => Workspaces.rename(bySystem, { slug: nowhere, to: "somewhere" as WorkspaceSlug }),
      WorkspaceSlugReserved: ({ slug }) => Workspaces.rename(bySystem, { slug, to: "api" as WorkspaceSlug }),
      WorkspaceSlugTaken: ({ slug }) => Workspaces.rename(bySystem, { slug, to: slug })
    }
  },
  "Workspaces.retire": {
    act: ({ slug }) => Workspaces.retire(bySystem, slug),
    actor: "system",
    entries: workspaceDeleted,
    refusals: { WorkspaceNotFound: () => Workspaces.retire(bySystem, nowhere) }
  },
  "Workspaces.create": {
    act: ({ slug }) =>
      Effect.map(Workspaces.create(bySystem, fromElsewhere(`${slug}-two` as WorkspaceSlug)), ({ id }) => ({
        made: id
      })),
    actor: "system",
    entries: ["workspace_created workspace", "member_added member"],
    refusals: { WorkspaceSlugTaken: ({ slug }) => Workspaces.create(bySystem, fromElsewhere(slug)) }
  }
}
