import { Context, type Effect } from "effect"
import type { Evidence, Finding } from "../../domain/oncall/Investigation.ts"

/** Finds the likely cause of an incident; read-only. */
export class Investigator extends Context.Tag("application/Investigator")<
  Investigator,
  { readonly investigate: (evidence: Evidence) => Effect.Effect<Finding> }
>() {}
