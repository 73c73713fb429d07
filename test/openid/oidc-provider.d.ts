/** The part of the library that tests use. */
declare module "oidc-provider" {
  import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

  interface Grant {
    readonly addOIDCScope: (scope: string) => void
    readonly save: () => Promise<string>
  }

  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string }
      readonly session: { readonly accountId: string }
      readonly provider: Provider
    }
  }

  export default class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>)
    readonly Grant: new (of: { readonly clientId: string; readonly accountId: string }) => Grant
    readonly callback: () => RequestListener
    readonly interactionFinished: (
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>
    ) => Promise<void>
  }

  export type { Context }
}
