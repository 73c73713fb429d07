import { Context } from "effect"

/** What links to this service begin with. */
export class PublicUrl extends Context.Reference<PublicUrl>()("application/PublicUrl", {
  defaultValue: () => "http://localhost:3000"
}) {}
