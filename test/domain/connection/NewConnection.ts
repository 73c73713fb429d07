import type { NewConnection } from "../../../domain/connection/ChangeConnection.ts"
import type { ConnectionId } from "../../../domain/connection/Connection.ts"

/** A connection by a token, as a person enters it. */
export const input: NewConnection = {
  id: "00000000-0000-4000-8000-000000000001" as ConnectionId,
  name: "GitHub",
  kind: "github",
  way: "token",
  baseUrl: "https://github.com/",
  token: "t".repeat(32),
  installation: null,
  credentials: "v1.sealed"
}
