import * as HttpApiScalar from "@effect/platform/HttpApiScalar"

/** Options of the reference that its type lacks. */
interface Config extends HttpApiScalar.ScalarConfig {
  readonly telemetry: boolean
  readonly hideClientButton: boolean
  readonly persistAuth: boolean
  readonly showToolbar: "never"
  readonly authentication: { readonly preferredSecurityScheme: string }
}

/** People paste tokens here: the reference calls only this service, and stores nothing. */
const scalar: Config = {
  withDefaultFonts: false,
  proxyUrl: "",
  telemetry: false,
  hideClientButton: true,
  persistAuth: false,
  // It uploads the document to the makers of the reference.
  showToolbar: "never",
  authentication: { preferredSecurityScheme: "apiToken" }
}

export const layer = HttpApiScalar.layer({ path: "/docs", scalar })
