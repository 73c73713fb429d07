import { Context } from "effect"
import type { Fact } from "../../domain/workspace/Audit.ts"

/** Origin of changes. The command line provides its own, so that every audit entry of a command says so. */
export class Origin extends Context.Reference<Origin>()("application/Origin", {
  defaultValue: (): { readonly isCommandLine: boolean } => ({ isCommandLine: false })
}) {}

/** Marks the facts of a command with `cli: true` in their details. */
export const marked = (facts: ReadonlyArray<Fact>, { isCommandLine }: typeof Origin.Service): ReadonlyArray<Fact> =>
  isCommandLine ? facts.map((fact) => ({ ...fact, details: { ...fact.details, cli: true } })) : facts
