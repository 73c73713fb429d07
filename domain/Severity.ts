import { Schema } from "effect"

export const Severity = Schema.Literal("critical", "high", "medium", "low", "info")
