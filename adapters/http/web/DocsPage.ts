import * as HttpApiScalar from "@effect/platform/HttpApiScalar"

/** Options that the reference knows and its type does not. */
interface Config extends HttpApiScalar.ScalarConfig {
  readonly telemetry: boolean
  readonly hideClientButton: boolean
  readonly persistAuth: boolean
  readonly showToolbar: "never"
  readonly authentication: { readonly preferredSecurityScheme: string }
}

/** People paste tokens here: the reference asks nobody but this service, and keeps nothing. */
const scalar: Config = {
  withDefaultFonts: false,
  proxyUrl: "",
  telemetry: false,
  hideClientButton: true,
  persistAuth: false,
  // It uploads the document to those who made the reference.
  showToolbar: "never",
  authentication: { preferredSecurityScheme: "apiToken" }
}

export const layer = HttpApiScalar.layer({ path: "/docs", scalar })
