import * as ClusterWorkflowEngine from "@effect/cluster/ClusterWorkflowEngine"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import { WorkflowEngine } from "@effect/workflow/WorkflowEngine"
import { Duration, Effect, FiberRef, Layer, LogLevel, Option } from "effect"
import { prefix } from "./ClusterTables.ts"
import * as Messages from "./Messages.ts"
import { Pace } from "./Pace.ts"

const config = (address: Option.Option<RunnerAddress.RunnerAddress>) =>
  Layer.unwrapEffect(
    Effect.map(Pace, ({ poll, silence }) =>
      ShardingConfig.layer({
        runnerAddress: address,
        // Stored with every message: another number would strand those already there.
        shardsPerGroup: 64,
        entityMessagePollInterval: poll,
        entityTerminationTimeout: Duration.seconds(5),
        refreshAssignmentsInterval: Duration.min(Duration.seconds(3), Duration.unsafeDivide(silence, 3)),
        shardLockExpiration: silence
      })
    )
  )

/**
 * This process among those on the same database, which share the work by locks and rows there and need no other
 * connection: every message of a round goes to the process that runs it. A name of its own keeps two processes apart
 * wherever they run.
 */
export const runner = Layer.suspend(() =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop, Layer.orDie(SqlRunnerStorage.layerWith({ prefix }))]),
    Layer.provide(Messages.patientLayer),
    Layer.provide(config(Option.some(RunnerAddress.make(crypto.randomUUID(), 0)))),
    // Without a database it would warn twice a second.
    Layer.locally(FiberRef.currentMinimumLogLevel, LogLevel.Error)
  )
)

/** Only writes messages, in the caller's transaction and without waiting for whoever will run them. */
export const sender = Layer.fresh(
  Layer.scoped(WorkflowEngine, ClusterWorkflowEngine.make).pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide([Runners.layerNoop, RunnerHealth.layerNoop, RunnerStorage.layerMemory]),
    Layer.provide(Messages.layer),
    Layer.provide(config(Option.none()))
  )
)
