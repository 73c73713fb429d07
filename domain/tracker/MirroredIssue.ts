import { Schema } from "effect"
import { Text, WebAddress } from "../value/Text.ts"
import { Timestamp } from "../value/Timestamp.ts"
import { StatedPart } from "../work/ChangeStory.ts"
import { ColumnRole, StoryKey } from "../work/Story.ts"
import { BindingId } from "./Binding.ts"
import { IssueRef } from "./TrackerIssue.ts"

/** An issue of a bound project with its story, as the mirror last saw or wrote it. */
export class MirroredIssue extends Schema.Class<MirroredIssue>("MirroredIssue")({
  binding: BindingId,
  ...IssueRef.fields,
  url: WebAddress,
  story: StoryKey,
  /** `updatedAt` of the newest snapshot with the text that the story has. */
  version: Timestamp,
  /** Digest of the snapshot and the mapping: an equal one changes nothing. */
  fingerprint: Schema.String,
  /** Digest of title and description that the story has. */
  text: Schema.String,
  /** Digest of size and class of service that the story took from labels. */
  sizing: Schema.String,
  labels: Schema.Array(Text),
  /** Status on the board; null without one. */
  status: Schema.NullOr(Text),
  statusSince: Schema.NullOr(Timestamp),
  isClosed: Schema.Boolean,
  /** Column that the tracker shows. */
  shown: ColumnRole,
  /** True when it shows Ready, but nobody with write access stands for its text. */
  isUntrusted: Schema.Boolean,
  /** Column of the story that the tracker has been given or has set itself; another one is still to be written. */
  settled: ColumnRole,
  /** Note that the mirror left in the story. */
  note: Schema.NullOr(Text),
  /** Parts of the story that the text of the issue states. */
  stated: Schema.Array(StatedPart),
  /** True while a run works on the story: a newer text waits for its end. */
  isHeld: Schema.Boolean,
  /** Time at which the issue left the project. */
  goneAt: Schema.NullOr(Timestamp),
  /** Time at which the service last read or wrote it. */
  syncedAt: Timestamp
}) {}

/** Hidden text in the body of an issue that the service wrote for a story. */
export const storyMarker = (story: string): string => `<!-- gatehouse:story:${story} -->`

const marker = /<!--\s*gatehouse:story:(?<story>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\s*-->/g

/** Id of the story for which an issue was written; null for issues of people. */
export const markedStory = (body: string): string | null => [...body.matchAll(marker)].at(-1)?.groups?.["story"] ?? null

export const withoutMarker = (body: string): string => body.replace(marker, "").trimEnd()
