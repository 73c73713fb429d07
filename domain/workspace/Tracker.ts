import { Schema } from "effect"
import { Line, WebAddress } from "../value/Text.ts"

export const Platform = Schema.Literal("github", "jira", "linear")

/** The story's issue in a tracker; the tracker owns its title and description. */
export const TrackerIssue = Schema.Struct({ platform: Platform, key: Line(200), url: WebAddress })
