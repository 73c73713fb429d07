import { DateTime, Effect, Redacted, Schema } from "effect"
import { acknowledge } from "../../domain/oncall/AcknowledgeInSource.ts"
import { Email, MemberId } from "../../domain/workspace/Member.ts"
import { isMailed } from "../../domain/oncall/MailPreference.ts"
import { Notice, subject, text } from "../../domain/oncall/Notice.ts"
import { ofPlace } from "../../domain/value/SecretBinding.ts"
import { updatesSources } from "../../domain/oncall/Service.ts"
import { payloadOf } from "./FollowIncident.ts"
import { Inbox } from "../ports/Inbox.ts"
import type { WorkspaceJob } from "../ports/JobStore.ts"
import { type Message, Notifiers } from "../ports/Notifier.ts"
import type { OnCall } from "../../domain/oncall/commands/OnCallContext.ts"
import { OnCallStore } from "../ports/OnCallStore.ts"
import { JobFailed } from "../ports/JobHandlers.ts"
import { Sealing } from "../secrets/Sealing.ts"

const lateHours = 24

const over = (reason: string) => new JobFailed({ reason, isFinal: true })

/** Drops a notice that is too old to wake anybody, as when a channel is set up after weeks. */
const notTooLate = Effect.fnUntraced(function* ({ job }: WorkspaceJob) {
  const now = yield* DateTime.now
  if (DateTime.lessThan(job.createdAt, DateTime.subtract(now, { hours: lateHours })))
    return yield* over(`It could not be sent within ${lateHours} hours.`)
})

/** The id of the job, and so of the message, is the same on every try. */
const messageOf = ({ job }: WorkspaceJob, notice: Notice): Message => ({
  id: job.id,
  subject: subject(notice),
  text: text(notice),
  notice
})

/** A failure here only leaves an alert ringing in its source; it must not send a message again. */
const acknowledged = Effect.fnUntraced(function* (
  { job, workspace }: WorkspaceJob,
  { event, incident }: Notice,
  services: OnCall["services"]
) {
  if (event === "resolved" || !services.some((one) => one.name === incident.service && updatesSources(one))) return
  yield* (yield* OnCallStore)
    .follow(workspace, job.id, acknowledge)
    .pipe(Effect.catchAllDefect((defect) => Effect.logWarning("alerts are not acknowledged in their source", defect)))
})

const Mail = Schema.Struct({ member: MemberId, email: Email, notice: Notice })

export const mail = Effect.fn("SendNotice.mail")(function* (work: WorkspaceJob) {
  const { email, member, notice } = yield* payloadOf(Mail, work)
  yield* notTooLate(work)
  const { mail: notifier } = yield* Notifiers
  if (notifier === null) return yield* over("SMTP_URL is not set.")
  const { members, services } = yield* (yield* OnCallStore).look(work.workspace)
  if (!members.some(({ id }) => id === member)) return yield* over(`${email} is no member any more.`)
  if (!isMailed(yield* (yield* Inbox).mailOff(work.workspace, member), notice)) return
  yield* notifier.send(Redacted.make(email), messageOf(work, notice))
  yield* acknowledged(work, notice, services)
})

const Post = Schema.Struct({ place: Schema.String, notice: Notice })

export const post = Effect.fn("SendNotice.post")(function* (work: WorkspaceJob) {
  const { notice, place: name } = yield* payloadOf(Post, work)
  yield* notTooLate(work)
  const { team } = work.job
  const { places, services } = yield* (yield* OnCallStore).look(work.workspace)
  const place = places.find((one) => one.team === team && one.name === name)
  if (place === undefined) return yield* over(`The place '${name}' was removed.`)
  const address = yield* Effect.mapError(
    (yield* Sealing).open(place.address, ofPlace({ team, name })),
    ({ message }) => new JobFailed({ reason: message, isFinal: false })
  )
  const notifiers = yield* Notifiers
  yield* notifiers.places[place.kind].send(address, messageOf(work, notice))
  yield* acknowledged(work, notice, services)
})
