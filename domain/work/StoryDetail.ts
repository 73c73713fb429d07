import { Schema } from "effect"
import { StoryView } from "./Story.ts"

/** A story with everything its board keeps, for members and their agents. */
export const StoryDetail = Schema.Struct({
  ...StoryView.fields,
  demonstrate: Schema.Array(Schema.String),
  testPlan: Schema.NullOr(Schema.String),
  /** The reason a person returned it to Backlog. */
  returnNote: Schema.NullOr(Schema.String)
})
export type StoryDetail = typeof StoryDetail.Type
