import { Effect } from "effect"
import { changeTo } from "../../../domain/tracker/Mapping.ts"
import * as MirrorIssue from "../../../domain/tracker/MirrorIssue.ts"
import { storyMarker } from "../../../domain/tracker/MirroredIssue.ts"
import { bodyOf } from "../../../domain/tracker/IssueTexts.ts"
import { StoryDetail } from "../../../domain/work/Story.ts"
import { byService } from "../../../domain/workspace/Actor.ts"
import { JobFailed, NotConnected } from "../../ports/JobHandlers.ts"
import type { WorkspaceJob } from "../../ports/JobStore.ts"
import * as Json from "../../ports/Json.ts"
import { StoryStore } from "../../ports/StoryStore.ts"
import { TrackerStore } from "../../ports/tracker/TrackerStore.ts"
import { Trackers } from "../../ports/tracker/Trackers.ts"
import { ConnectionStore } from "../../ports/connection/ConnectionStore.ts"
import { obeying, turn } from "./WriteTracker.ts"

const decodeStory = Json.decoder(StoryDetail)

/** The tracker of a job's team; a job without one rests. */
const trackerOf = ({ job, workspace }: WorkspaceJob) =>
  Effect.gen(function* () {
    const bound = (yield* (yield* TrackerStore).list(workspace)).find(({ binding }) => binding.team === job.team)
    if (bound === undefined)
      return yield* new NotConnected({
        reason: `The team ${job.team} has no tracker; bind one with gatehouse tracker bind.`
      })
    const { binding } = bound
    const connections = yield* (yield* ConnectionStore).list(workspace)
    const connection = connections.find(({ id }) => id === binding.connection)
    const tracker = connection && (yield* Trackers)(connection)
    if (connection === undefined || tracker == null)
      return yield* new NotConnected({ reason: `The tracker of the team ${job.team} is not connected.` })
    return { workspace, binding, connection, tracker, project: binding.project, board: binding.mapping.board }
  })

/** Writes an approved draft as an issue, once: its marker is looked for first. */
export const write = Effect.fn("WriteStory.write")(function* (work: WorkspaceJob) {
  const { job, workspace } = work
  const store = yield* TrackerStore
  if (job.story === null) return yield* new JobFailed({ reason: "It belongs to no story.", isFinal: true })
  const json = yield* Effect.mapError(
    (yield* StoryStore).detail(workspace, job.story),
    ({ message }) => new JobFailed({ reason: message, isFinal: true })
  )
  const story = decodeStory(json)
  if (story.tracker !== null) return
  const at = yield* trackerOf(work)
  const { binding, tracker } = at
  const marker = storyMarker(story.id)
  const written = yield* Effect.gen(function* () {
    const found = yield* tracker.find(at, marker, job.createdAt)
    if (found !== null) return found
    yield* turn(workspace, at, tracker)
    const { addLabels } = changeTo(binding.mapping, story.column.role, { labels: [], isClosed: false, status: null })
    const only = binding.mapping.only === null ? [] : [binding.mapping.only]
    return yield* tracker.create(at, { title: story.title, body: bodyOf(story), labels: [...only, ...addLabels] })
  }).pipe(
    obeying(workspace, at),
    Effect.mapError(({ isFinal, reason }) => new JobFailed({ reason, isFinal }))
  )
  const readied = { by: { name: "Gatehouse", mayWrite: true, isOwn: true }, at: written.updatedAt }
  const seen = { issue: written, trail: { readied, foreignEdit: null, text: written }, readAt: yield* store.now }
  const target = {
    binding: binding.id,
    issue: { id: written.id, key: written.key },
    url: written.url,
    story: story.id as string
  }
  yield* Effect.ignore(store.mirror(workspace, target, MirrorIssue.mirror(byService, seen)))
})
