import type { PersistenceError } from "@effect/cluster/ClusterError"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import type * as Reply from "@effect/cluster/Reply"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import type * as Rpc from "@effect/rpc/Rpc"
import { Effect, Layer, Schedule, Schema } from "effect"
import { prefix } from "./ClusterTables.ts"

type Storage = MessageStorage.MessageStorage["Type"]

/** Messages in the database, as the library has them. */
export const layer = SqlMessageStorage.layerWith({ prefix }).pipe(Layer.provide(ShardingConfig.layerDefaults))

const isAboutStorage = (error: unknown): error is PersistenceError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "PersistenceError"

/** A unique violation, as the driver tells it inside the errors of two libraries. */
const isTaken = Schema.is(
  Schema.Struct({ cause: Schema.Struct({ cause: Schema.Struct({ code: Schema.Literal("23505") }) }) })
)

const untilThere = Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")))

const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, { while: (error) => isAboutStorage(error) && !isTaken(error), schedule: untilThere })

/**
 * Waits for a database that is away. The library takes its absence for a defect of the work at hand, and what it does
 * then leaves work lying that never ends. It hands out its own methods, so they are replaced in place.
 */
const patient = (storage: Storage): Storage => {
  const { clearReplies, repliesForUnfiltered, requestIdForPrimaryKey, resetShards } = storage
  const { saveEnvelope, saveReply, saveRequest, unprocessedMessages, unregisterReplyHandler } = storage
  return Object.assign<Storage, Partial<Storage>>(storage, {
    clearReplies: (id) => patiently(clearReplies(id)),
    repliesForUnfiltered: (ids) => patiently(repliesForUnfiltered(ids)),
    requestIdForPrimaryKey: (key) => patiently(requestIdForPrimaryKey(key)),
    resetShards: (shards) => patiently(resetShards(shards)),
    saveEnvelope: (envelope) => patiently(saveEnvelope(envelope)),
    saveRequest: (request) => patiently(saveRequest(request)),
    // When the last word of a commit was lost the reply is there: whoever waits for it shall look.
    saveReply: <R extends Rpc.Any>(reply: Reply.ReplyWithContext<R>) =>
      Effect.catchAll(patiently(saveReply(reply)), (error) =>
        isTaken(error) ? unregisterReplyHandler(reply.reply.requestId) : Effect.fail(error)
      ),
    // Messages count as read even if they were lost on the way here.
    unprocessedMessages: (shards) =>
      Effect.orElse(unprocessedMessages(shards), () =>
        patiently(Effect.zipRight(resetShards(shards), unprocessedMessages(shards)))
      )
  })
}

export const patientLayer = Layer.effect(
  MessageStorage.MessageStorage,
  Effect.map(MessageStorage.MessageStorage, patient)
).pipe(Layer.provide(Layer.fresh(layer)))
