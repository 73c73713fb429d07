import { Effect } from "effect"

export const make: Effect.Effect<string> = Effect.sync(() => crypto.randomUUID())
