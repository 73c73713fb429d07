import * as Command from "@effect/cli/Command"
import { Effect, Schema } from "effect"
import * as Authorization from "../../../application/workspace/Authorization.ts"
import * as AuditExport from "../../../application/workspace/AuditExport.ts"
import { ofWorkspace } from "../../../application/workspace/DeniedTarget.ts"
import { workspace } from "../Options.ts"
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

export const auditCommand = Command.make("audit").pipe(
  Command.withDescription("Check the audit log"),
  Command.withSubcommands([verify])
)
