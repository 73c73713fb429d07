import { Schema } from "effect"
import * as Key from "./Key.ts"

export const IncidentKey = Schema.String.pipe(Schema.pattern(Key.shape("inc")), Schema.brand("IncidentKey"))
export type IncidentKey = typeof IncidentKey.Type
export const parseKey = Key.parser(IncidentKey, (text) => text.toLowerCase())
