import { Context } from "effect"

/** Base of all links to this service. */
export class PublicUrl extends Context.Reference<PublicUrl>()("application/PublicUrl", {
  defaultValue: () => "http://localhost:3000"
}) {}
