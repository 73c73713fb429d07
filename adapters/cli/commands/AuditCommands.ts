import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Effect, Option, Schema } from "effect"
import * as Authorization from "../../../application/workspace/Authorization.ts"
import * as AuditExport from "../../../application/workspace/AuditExport.ts"
import { ofWorkspace } from "../../../application/workspace/DeniedTarget.ts"
import { type AuditFilter, AuditLog } from "../../../application/ports/AuditLog.ts"
import * as Workspaces from "../../../application/workspace/Workspaces.ts"
import type { ActorType } from "../../../domain/workspace/Actor.ts"
import { Event, parseEvent, type RecordedEntry } from "../../../domain/workspace/Audit.ts"
import type { TeamNotFound } from "../../../domain/workspace/Team.ts"
import { formatOrNull } from "../../../domain/value/Timestamp.ts"
import { columns, time } from "../Columns.ts"
import { lastMoment, moment, parsed, run, team, usage, workspace } from "../Options.ts"
import { list, paged, pageOf } from "../Paging.ts"
import { maybeAs, verb, who } from "../Command.ts"

class AuditBroken extends Schema.TaggedError<AuditBroken>()("AuditBroken", { seq: Schema.BigIntFromSelf }) {
  override get message() {
    return `The audit log is not what was written: entry ${this.seq} is the first that does not hold.`
  }
}

const verify = verb(
  "verify",
  "Check that the audit log is what was written; exit 1 when it is not",
  { workspace, as: maybeAs },
  ({ as, workspace }) =>
    Effect.flatMap(who(workspace, as), (by) =>
      Effect.zipRight(
        Authorization.isPerson(by) ? Authorization.permit(by, "audit read", ofWorkspace(by)) : Effect.void,
        AuditExport.verify(workspace)
      )
    ).pipe(
      Effect.flatMap(({ entries, firstBad }) =>
        firstBad === null ? Effect.succeed({ entries, intact: true }) : new AuditBroken({ seq: firstBad })
      )
    ),
  ({ entries }) => `All ${entries} entries hold.`
)

const words = new Map<string, ActorType>([
  ["human", "human"],
  ["service", "service"],
  ["the service", "service"],
  ["system", "system"]
])

const actor = parsed("actor", (text) => Option.fromNullable(words.get(text)), "one of human, service, system", {
  description: "Only entries of human, service or system",
  placeholder: "human|service|system"
})

const event = parsed("event", parseEvent, `one of ${Event.literals.join(", ")}`, {
  description: "Only entries of this event, such as policy_changed",
  placeholder: "EVENT"
})

const filterOf = (given: {
  readonly [Name in keyof AuditFilter]: Option.Option<NonNullable<AuditFilter[Name]>>
}): AuditFilter => ({
  team: Option.getOrNull(given.team),
  actor: Option.getOrNull(given.actor),
  event: Option.getOrNull(given.event),
  run: Option.getOrNull(given.run),
  from: Option.getOrNull(given.from),
  to: Option.getOrNull(given.to)
})

const listAll = list(
  "list",
  "List entries of the audit log, newest first; for admins and owners",
  {
    workspace,
    as: maybeAs,
    team: Options.optional(team),
    actor: Options.optional(actor),
    event: Options.optional(event),
    run: Options.optional(run),
    from: Options.optional(moment("from", "Only entries from then on")),
    to: Options.optional(lastMoment("to", "Only entries up to then; a date includes the whole day")),
    ...paged
  },
  ({ as, cursor, limit, workspace, ...given }) =>
    Effect.gen(function* () {
      const by = yield* who(workspace, as)
      if (Authorization.isPerson(by)) yield* Authorization.permit(by, "audit read", ofWorkspace(by))
      const id = Authorization.isPerson(by) ? by.workspace : yield* Workspaces.idOf(workspace)
      const filter = filterOf(given)
      const filters = { ...filter, from: formatOrNull(filter.from), to: formatOrNull(filter.to) }
      if (filters.from !== null && filters.to !== null && filters.from > filters.to)
        return yield* Effect.fail(usage(`--from must not be after --to; got ${filters.from} and ${filters.to}`))
      const log = yield* AuditLog
      return yield* pageOf<RecordedEntry, typeof RecordedEntry.Encoded, TeamNotFound, never>(
        { workspace: id, list: "audit", filters },
        { cursor, limit },
        (page) => log.page(id, filter, page)
      )
    }),
  "No entries.",
  (entries) =>
    columns(
      entries.map(({ actor, entity, event, result, runKey, team, timestamp }) => [
        time(timestamp),
        event,
        result,
        actor.name,
        team ?? "–",
        runKey ?? "–",
        `${entity.type} ${entity.name}`
      ])
    )
)

export const auditCommand = Command.make("audit").pipe(
  Command.withDescription("Read and check the audit log"),
  Command.withSubcommands([listAll, verify])
)
