import { Effect, Layer } from "effect"
import * as Json from "../../application/Json.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import { AuditEntry } from "../../domain/Audit.ts"
import { newest } from "./Pages.ts"
import { State } from "./State.ts"

const encode = Json.encoder(AuditEntry)

export const layer = Layer.effect(
  AuditLog,
  Effect.map(State, (state) =>
    AuditLog.of({
      page: (workspace, request) =>
        Effect.sync(() => newest(state.get(workspace)?.audit ?? [], () => true, encode, request))
    })
  )
)
