import { Context, type DateTime, Effect, type Redacted } from "effect"
import type { Outcome } from "../../../domain/connection/ChangeConnection.ts"
import type { Connection } from "../../../domain/connection/Connection.ts"
import { HostFailed } from "../codehost/CodeHost.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"

/** A credential for git over https, of one repository. */
export interface GitCredential {
  readonly token: Redacted.Redacted
  readonly until: DateTime.Utc
}

/** An App that was created from a manifest. */
export interface ConvertedApp {
  readonly app: string
  /** Its private key. */
  readonly secret: Redacted.Redacted
  readonly webhookSecret: Redacted.Redacted | null
  /** Page on which it is installed. */
  readonly page: string
}

/** The systems behind connections. */
export interface Systems {
  /** Calls the system, and looks at its permissions for these repositories. */
  readonly test: (connection: Connection, repositories: ReadonlyArray<string>) => Effect.Effect<Outcome>
  /** Exchanges the code of a manifest for the App. */
  readonly convert: (baseUrl: string, code: string) => Effect.Effect<ConvertedApp, HostFailed>
  /** A credential for pushing to a repository of a workspace; null when none can be narrowed to it. */
  readonly gitCredential: (workspace: WorkspaceId, repository: string) => Effect.Effect<GitCredential | null>
}

export class ConnectedSystems extends Context.Reference<ConnectedSystems>()("application/ConnectedSystems", {
  defaultValue: (): Systems => ({
    test: () => Effect.succeed({ problem: "No system can be reached from here." }),
    convert: () => new HostFailed({ reason: "No system can be reached from here.", isFinal: true }),
    gitCredential: () => Effect.succeed(null)
  })
}) {}
