import { Effect, FiberSet } from "effect"
import * as Checking from "../../application/Checking.ts"
import * as Decisions from "../../application/Decisions.ts"
import * as Draining from "../../application/Draining.ts"
import * as Importing from "../../application/Importing.ts"
import * as Incidents from "../../application/Incidents.ts"
import * as Members from "../../application/Members.ts"
import * as Places from "../../application/Places.ts"
import * as Runs from "../../application/Runs.ts"
import * as Scheduling from "../../application/Scheduling.ts"
import * as Services from "../../application/Services.ts"
import * as Sources from "../../application/Sources.ts"
import * as Stories from "../../application/Stories.ts"
import * as Teams from "../../application/Teams.ts"
import * as Tokens from "../../application/Tokens.ts"
import * as Workspaces from "../../application/Workspaces.ts"
import { bySystem } from "../../domain/Actor.ts"
import type { DeliveryId } from "../../domain/Delivery.ts"
import type { IncidentKey } from "../../domain/IncidentKey.ts"
import type { TeamSlug } from "../../domain/Team.ts"
import type { WorkspaceSlug } from "../../domain/Workspace.ts"
import * as OnCall from "../support/OnCall.ts"
import * as Seed from "../support/Seed.ts"
import {
  type Act,
  acts,
  answer,
  leaver,
  newPlace,
  newSource,
  newStory,
  newTeam,
  newToken,
  payments,
  question,
  run,
  story,
  web
} from "./house.ts"

/** A use case: what it puts on record when it succeeds, oldest first, and what it refuses. */
export interface Row {
  readonly act: Act
  readonly actor?: "service" | "system"
  /** Each as `event entity-type`, then its team and `run` where it has them. */
  readonly entries: ReadonlyArray<string>
  readonly refusals?: Readonly<Record<string, Act>>
  /** Whether its entries are all it leaves in the workspace. */
  readonly isRecordOnly?: true
}

const nobody = "nobody" as TeamSlug
const nowhere = "nowhere" as WorkspaceSlug
const teams = { teams: [{ slug: "shop", name: "Shop", keyPrefix: "SHOP" }] }
const created = ["team_created team shop"]
const fromElsewhere = (slug: WorkspaceSlug) => ({ slug, name: "Acme", owner: { email: leaver, name: "Lena" } })

const noIncident = "inc-0000" as IncidentKey
const bothResolved = ["incident_resolved incident payments", "incident_resolved incident payments"]
const sourceChanged = ["signal_source_changed signal_source"]

/** Every use case that changes what is stored. */
export const rows: Readonly<Record<string, Row>> = {
  "Auditing.exportFile": {
    act: acts["Auditing.exportFile"],
    entries: ["audit_exported audit_export"],
    isRecordOnly: true
  },
  "Checking.round": {
    act: () =>
      Effect.scoped(
        Effect.gen(function* () {
          const running = yield* FiberSet.make<void>()
          yield* Checking.round(running)
          yield* FiberSet.awaitEmpty(running)
        })
      ),
    entries: [],
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
  "Draining.drain": {
    act: ({ onCall }) => Effect.zipRight(OnCall.receive(onCall, "stage"), Draining.drain()),
    actor: "service",
    entries: ["signal_received signal_source", "incident_opened incident payments"]
  },
  "Draining.replay": {
    act: acts["Draining.replay"],
    entries: sourceChanged,
    refusals: {
      DeliveryNotFound: (_, person) => Draining.replay(person, "00000000-0000-4000-8000-000000000000" as DeliveryId)
    },
    isRecordOnly: true
  },
  "Importing.load": {
    act: ({ slug }) => Importing.load(bySystem, slug, teams),
    actor: "system",
    entries: created,
    refusals: {
      InvalidDocument: ({ slug }) => Importing.load(bySystem, slug, { ...teams, runs: [{ story: "PAY-99" }] }),
      WorkspaceNotFound: () => Importing.load(bySystem, nowhere, teams)
    }
  },
  "Importing.write": {
    act: ({ slug }) => Importing.write(bySystem, slug, teams),
    actor: "system",
    entries: created,
    refusals: { InvalidDocument: ({ slug }) => Importing.write(bySystem, slug, {}) }
  },
  "Incidents.acknowledge": {
    act: acts["Incidents.acknowledge"],
    entries: ["incident_updated incident payments"],
    refusals: {
      IncidentAcknowledged: ({ onCall }, person) => Incidents.acknowledge(person, onCall.incidents.acknowledged),
      IncidentResolved: ({ onCall }, person) => Incidents.acknowledge(person, onCall.incidents.resolved),
      IncidentNotFound: (_, person) => Incidents.acknowledge(person, noIncident)
    }
  },
  "Incidents.resolve": {
    act: acts["Incidents.resolve"],
    entries: ["incident_resolved incident payments"],
    refusals: {
      IncidentResolved: ({ onCall }, person) => Incidents.resolve(person, onCall.incidents.resolved),
      IncidentNotFound: (_, person) => Incidents.resolve(person, noIncident)
    }
  },
  "Intake.accept": {
    act: ({ onCall }) => OnCall.post(onCall, '{"title":"Down"}'),
    entries: [],
    refusals: {
      InvalidProof: ({ onCall }) => OnCall.post(onCall, '{"title":"Down"}', "another secret"),
      UnreadableAlert: ({ onCall }) => OnCall.post(onCall, "{}")
    },
    isRecordOnly: true
  },
  "Members.add": {
    act: acts["Members.add"],
    entries: ["member_added member"],
    refusals: {
      MemberExists: ({ slug }, person) =>
        Members.add(person, { workspace: slug, email: leaver, name: "Lena", role: "admin" })
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
  "Places.add": {
    act: acts["Places.add"],
    entries: ["service_changed team payments"],
    refusals: {
      PlaceTaken: (_, person) => Places.add(person, { ...newPlace, name: "chat" }),
      TeamNotFound: (_, person) => Places.add(person, { ...newPlace, team: nobody })
    }
  },
  "Places.remove": {
    act: acts["Places.remove"],
    entries: ["service_changed team payments"],
    refusals: { PlaceNotFound: (_, person) => Places.remove(person, payments, "pager") }
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
      RunNotQueued: (_, person) => Runs.lease(person, { team: null, run: run("run-eeee") }),
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
  "Scheduling.tick": {
    act: () => Scheduling.tick(),
    actor: "service",
    entries: ["run_state_changed run payments run", "story_moved story payments run"]
  },
  "Services.create": {
    act: acts["Services.create"],
    entries: ["service_changed service payments"],
    refusals: {
      ServiceNameTaken: (_, person) => Services.create(person, { team: payments, name: "Checkout" }),
      TeamNotFound: (_, person) => Services.create(person, { team: nobody, name: "refunds" })
    }
  },
  "Services.remove": {
    act: acts["Services.remove"],
    entries: ["service_changed service payments", ...bothResolved],
    refusals: {
      NotConfirmed: (_, person) => Services.remove(person, "checkout", "basket"),
      ServiceUnknown: (_, person) => Services.remove(person, "nothing", "nothing")
    }
  },
  "Services.set": {
    act: acts["Services.set"],
    entries: ["service_changed service payments"],
    refusals: {
      InvalidSettings: (_, person) => Services.set(person, "checkout", { notify: ["no@acme.test"] }),
      ServiceUnknown: (_, person) => Services.set(person, "nothing", { observeOnly: true })
    }
  },
  "Sources.create": {
    act: acts["Sources.create"],
    entries: sourceChanged,
    refusals: {
      InvalidCheck: (_, person) => Sources.create(person, { ...newSource, kind: "uptime" }),
      SourceNameTaken: (_, person) => Sources.create(person, { ...newSource, name: "Tool" }),
      ServiceUnknown: (_, person) => Sources.create(person, { ...newSource, services: ["nothing"] })
    }
  },
  "Sources.pause": {
    act: acts["Sources.pause"],
    entries: sourceChanged,
    refusals: {
      SourceAlreadySo: (_, person) => Sources.pause(person, "quiet"),
      SourceUnknown: (_, person) => Sources.pause(person, "nothing")
    }
  },
  "Sources.remove": {
    act: acts["Sources.remove"],
    entries: [...sourceChanged, ...bothResolved],
    refusals: {
      NotConfirmed: (_, person) => Sources.remove(person, "tool", "quiet"),
      SourceUnknown: (_, person) => Sources.remove(person, "nothing", "nothing")
    }
  },
  "Sources.resume": {
    act: acts["Sources.resume"],
    entries: sourceChanged,
    refusals: { SourceAlreadySo: (_, person) => Sources.resume(person, "tool") }
  },
  "Sources.rotate": {
    act: acts["Sources.rotate"],
    entries: sourceChanged,
    refusals: {
      SourceTakesNoPosts: (_, person) => Sources.rotate(person, "shop"),
      SourceUnknown: (_, person) => Sources.rotate(person, "nothing")
    }
  },
  "Sources.set": {
    act: acts["Sources.set"],
    entries: sourceChanged,
    refusals: {
      InvalidCheck: (_, person) =>
        Sources.set(person, "tool", { services: null, isTimestampRequired: null, check: { expectedStatus: 204 } }),
      SourceTakesNoPosts: (_, person) => Sources.set(person, "shop", { services: null, isTimestampRequired: true }),
      ServiceUnknown: (_, person) => Sources.set(person, "tool", { services: ["nothing"], isTimestampRequired: true })
    }
  },
  "Sources.setCredentials": {
    act: acts["Sources.setCredentials"],
    entries: sourceChanged,
    refusals: {
      InvalidCredentials: (_, person) => Sources.setCredentials(person, "pager", newPlace.address),
      SourceHasNoApi: (_, person) => Sources.setCredentials(person, "tool", newPlace.address),
      SourceTakesNoPosts: (_, person) => Sources.setCredentials(person, "shop", newPlace.address),
      SourceUnknown: (_, person) => Sources.setCredentials(person, "nothing", newPlace.address)
    }
  },
  "Sources.setSecret": {
    act: acts["Sources.setSecret"],
    entries: sourceChanged,
    refusals: {
      SourceTakesNoPosts: (_, person) => Sources.setSecret(person, "shop", newPlace.address),
      SourceUnknown: (_, person) => Sources.setSecret(person, "nothing", newPlace.address)
    }
  },
  "Stories.approve": {
    act: acts["Stories.approve"],
    entries: ["story_changed story payments"],
    refusals: {
      NotADraft: (_, person) => Stories.approve(person, story("PAY-1")),
      NotReady: (_, person) => Stories.approve(person, story("PAY-7"))
    }
  },
  "Stories.create": {
    act: acts["Stories.create"],
    entries: ["story_moved story payments"],
    refusals: { InvalidDocument: (_, person) => Stories.create(person, { ...newStory, team: nobody }) }
  },
  "Stories.edit": {
    act: acts["Stories.edit"],
    entries: ["story_changed story payments"],
    refusals: {
      InvalidStory: (_, person) => Stories.edit(person, story("PAY-1"), { title: "" }),
      TrackerOwnsText: (_, person) => Stories.edit(person, story("WEB-1"), { title: "Mine" }),
      StoryNotFound: (_, person) => Stories.edit(person, story("PAY-99"), { title: "Mine" })
    }
  },
  "Stories.reject": {
    act: acts["Stories.reject"],
    entries: ["story_changed story payments"],
    refusals: { NotADraft: (_, person) => Stories.reject(person, story("PAY-1")) }
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
  "Teams.setPolicy": {
    act: acts["Teams.setPolicy"],
    entries: ["policy_changed policy payments"],
    refusals: {
      InvalidPolicy: (_, person) => Teams.setPolicy(person, payments, { settings: { acceptanceSpecRequired: false } })
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
    entries: [
      "workspace_deleted workspace",
      ...["payments", "payments", "payments", "web"].map((team) => `run_state_changed run ${team} run`),
      "decision_cancelled decision payments run",
      "decision_cancelled decision web",
      ...Array.from({ length: 2 }, () => "incident_resolved incident payments")
    ],
    refusals: {
      NotConfirmed: ({ slug }) => Workspaces.remove(bySystem, { slug, confirm: "yes" }),
      WorkspaceNotFound: () => Workspaces.remove(bySystem, { slug: nowhere, confirm: nowhere })
    }
  },
  "Workspaces.retire": {
    act: ({ slug }) => Workspaces.retire(bySystem, slug),
    actor: "system",
    entries: [
      "workspace_deleted workspace",
      ...["payments", "payments", "payments", "web"].map((team) => `run_state_changed run ${team} run`),
      "decision_cancelled decision payments run",
      "decision_cancelled decision web",
      ...Array.from({ length: 2 }, () => "incident_resolved incident payments")
    ],
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
