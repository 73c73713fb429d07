import { Context, type Effect } from "effect"
import type { Evidence, Finding } from "../../domain/oncall/Investigation.ts"

/** Finds out what an incident may come from. It only looks. */
export class Investigator extends Context.Tag("application/Investigator")<
  Investigator,
  { readonly investigate: (evidence: Evidence) => Effect.Effect<Finding> }
>() {}
