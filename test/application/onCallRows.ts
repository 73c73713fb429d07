import type { Row } from "./OnRecordRow.ts"
import { DateTime, Effect, FiberSet } from "effect"
import * as UptimeChecks from "../../application/oncall/UptimeChecks.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import * as Incidents from "../../application/oncall/Incidents.ts"
import * as Places from "../../application/oncall/Places.ts"
import * as Services from "../../application/oncall/Services.ts"
import * as Sources from "../../application/oncall/Sources.ts"
import type { DeliveryId } from "../../domain/oncall/Delivery.ts"
import type { IncidentKey } from "../../domain/value/IncidentKey.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as OnCall from "../support/OnCall.ts"
import { acts, newPlace, newSource, payments } from "./house.ts"

const nobody = "nobody" as TeamSlug

const noIncident = "inc-0000" as IncidentKey

const bothResolved = ["incident_resolved incident payments", "incident_resolved incident payments"]

const sourceChanged = ["signal_source_changed signal_source"]

/** Changes by alerts, by incidents and by their notifications. */
export const onCallRows: Readonly<Record<string, Row>> = {
  "UptimeChecks.round": {
    act: () =>
      Effect.scoped(
        Effect.gen(function* () {
          const running = yield* FiberSet.make<void>()
          yield* UptimeChecks.round(running)
          yield* FiberSet.awaitEmpty(running)
        })
      ),
    entries: [],
    isRecordOnly: true
  },
  "TriageWorker.drain": {
    act: ({ onCall }) => Effect.zipRight(OnCall.receive(onCall, "stage"), TriageWorker.drain()),
    actor: "service",
    entries: ["signal_received signal_source", "incident_opened incident payments"]
  },
  "TriageWorker.replay": {
    act: acts["TriageWorker.replay"],
    entries: sourceChanged,
    refusals: {
      DeliveryNotFound: (_, person) => TriageWorker.replay(person, "00000000-0000-4000-8000-000000000000" as DeliveryId)
    },
    isRecordOnly: true
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
  "Incidents.note": {
    act: acts["Incidents.note"],
    entries: ["incident_updated incident payments"],
    refusals: {
      IncidentNoteMissing: ({ onCall }, person) => Incidents.note(person, onCall.incidents.open, " \n"),
      NoteTooLong: ({ onCall }, person) => Incidents.note(person, onCall.incidents.open, "x".repeat(4001)),
      IncidentNotFound: (_, person) => Incidents.note(person, noIncident, "Hm")
    },
    isRecordOnly: true
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
      ChangedMeanwhile: (_, person) => Services.set(person, "checkout", { observeOnly: true }, DateTime.unsafeMake(1)),
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
      ChangedMeanwhile: (_, person) =>
        Sources.set(person, "tool", { services: null, isTimestampRequired: true }, DateTime.unsafeMake(1)),
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
  }
}
