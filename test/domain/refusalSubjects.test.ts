import { assert, it } from "vitest"
import * as Connection from "../../domain/connection/Connection.ts"
import { InvalidSettings, ServiceNameTaken, ServiceUnknown } from "../../domain/oncall/commands/ChangeService.ts"
import * as Source from "../../domain/oncall/commands/SourceErrors.ts"
import { IncidentNoteMissing } from "../../domain/oncall/Incident.ts"
import * as Binding from "../../domain/tracker/Binding.ts"
import { ChangedMeanwhile } from "../../domain/value/ChangedMeanwhile.ts"
import type { RunKey } from "../../domain/value/RunKey.ts"
import * as ChangeStory from "../../domain/work/ChangeStory.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import { OwnQuestion } from "../../domain/work/DecisionErrors.ts"
import { NotVerified } from "../../domain/work/RunTransitions.ts"
import { StoryIsDraft, StoryIsWorkedOn } from "../../domain/work/StartRun.ts"
import type { StoryKey } from "../../domain/work/Story.ts"
import { TeamAlreadyPaused, TeamNotPaused } from "../../domain/workspace/ChangeTeam.ts"
import { OpenIdUnavailable } from "../../domain/workspace/openid/ProviderIdentity.ts"
import { PolicyChangedMeanwhile } from "../../domain/workspace/SetPolicy.ts"
import { before } from "./Sample.ts"

const [source, service, connection, team, run] = ["prom", "checkout", "GitHub", "payments", "run-aaaa" as RunKey]
const story = "PAY-9" as StoryKey
const decision = "dec-aaaa" as DecisionKey
const url = "https://git.acme.test/issues/7"
const time = "2026-03-01T10:00:00.000Z"
const said = { field: "The project", problem: "is too long" }

it.each<readonly [make: () => Error, parts: ReadonlyArray<string>]>([
  [() => new Connection.ConnectionNotFound({ connection }), ["'GitHub'", "connection list"]],
  [() => new Connection.ConnectionNameTaken({ connection }), ["'GitHub'", "another name"]],
  [() => new Connection.InvalidConnection(said), ["The project is too long."]],
  [() => new Binding.TeamNotBound({ team }), ["'payments'", "tracker bind"]],
  [() => new Binding.ProjectTaken({ project: "acme/pay", team }), ["'acme/pay'", "'payments'"]],
  [() => new Binding.InvalidBinding(said), ["The project is too long."]],
  [() => new IncidentNoteMissing({ incident: "inc-aaaa" }), ["inc-aaaa"]],
  [() => new ServiceUnknown({ service }), ["'checkout'", "service list"]],
  [() => new ServiceNameTaken({ service }), ["'checkout'", "another name"]],
  [() => new InvalidSettings({ problem: "hours: is missing" }), ["hours: is missing.", "unchanged"]],
  [() => new Source.SourceUnknown({ source }), ["'prom'", "source list"]],
  [() => new Source.SourceNameTaken({ source }), ["'prom'", "another name"]],
  [() => new Source.SourceAlreadySo({ source, state: "paused" }), ["'prom' is paused"]],
  [() => new Source.SourceTakesNoPosts({ source }), ["'prom'"]],
  [() => new Source.SourceHasNoApi({ source, kind: "generic", kinds: ["a", "b"] }), ["'prom'", "generic", "a and b."]],
  [() => new Source.TooManyWords({ source, count: 51, most: 50 }), ["'prom'", "51", "at most 50"]],
  [() => new ChangedMeanwhile({ what: "The source 'prom'", at: before }), ["The source 'prom'", time]],
  [() => new ChangeStory.TrackerOwnsText({ story, field: "title", url: url as never }), ["title of PAY-9", url]],
  [() => new ChangeStory.StoryChangedMeanwhile({ story, updatedAt: before }), [story, time]],
  [() => new ChangeStory.NotADraft({ story }), [story]],
  [() => new ChangeStory.NotReady({ story, score: 70 }), [story, "70"]],
  [() => new OwnQuestion({ decision }), [decision, "A person answers it"]],
  [() => new NotVerified({ run, stage: "planning" }), [run, "planning", "finish it as failed"]],
  [() => new StoryIsDraft({ story }), [story, "Approve it"]],
  [() => new StoryIsWorkedOn({ story, run }), [story, run, "Stop it"]],
  [() => new TeamAlreadyPaused({ team }), ["'payments' is paused"]],
  [() => new TeamNotPaused({ team }), ["'payments' is not paused"]],
  [() => new PolicyChangedMeanwhile({ team, version: 7 }), ["'payments'", "version 7"]],
  [() => new OpenIdUnavailable({ host: "id.acme.test", problem: "it timed out" }), ["id.acme.test", "it timed out."]]
])("a refusal names its subject and the way out (%#)", (make, parts) => {
  const { message } = make()
  for (const part of parts) assert.include(message, part)
})
