import { Deferred, Effect, Option, Schema } from "effect"
import { Text } from "../../../domain/value/Text.ts"
import { Cents } from "../../../domain/workspace/Policy.ts"
import * as Child from "../process/Child.ts"
import type { Agent, Result } from "./Agent.ts"

/** A line by which the command reports: `{"gatehouse":{"costCents":12}}`, with any of these fields. */
const Line = Schema.parseJson(
  Schema.Struct({
    gatehouse: Schema.Struct({
      costCents: Schema.optional(Cents),
      progress: Schema.optional(Text),
      question: Schema.optional(Text.pipe(Schema.minLength(1)))
    })
  })
)
const decode = Schema.decodeUnknownOption(Line)

/** Longest plan that is kept of what the command prints. */
const mostText = 200_000

/** The agent `custom`: any command, with the prompt on its standard input. */
export const customAgent = (command: string, clocks: Child.Command["clocks"]): Agent => ({
  name: "custom",
  version: null,
  work: (task) =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<Result>()
      const printed: Array<string> = []
      let size = 0
      const read = (line: string) => {
        const found = line.startsWith('{"gatehouse"') ? Option.getOrNull(decode(line)) : null
        if (found === null) {
          task.on({ type: "output", line })
          if (size < mostText) printed.push(line.slice(0, mostText - size))
          size += line.length + 1
          return
        }
        const { costCents, progress, question } = found.gatehouse
        if (costCents !== undefined) task.on({ type: "cost", costCents })
        if (progress !== undefined) task.on({ type: "progress", text: progress })
        if (question !== undefined) Deferred.unsafeDone(asked, Effect.succeed({ type: "question", question }))
      }
      const worked = Child.run({
        argv: ["/bin/sh", "-c", command],
        cwd: task.folder,
        env: { ...task.env, GATEHOUSE_STEP: task.step },
        input: task.prompt,
        isolation: task.isolation,
        clocks,
        onLine: (line, stream) => (stream === "stdout" ? read(line) : task.on({ type: "output", line })),
        onStart: task.onStart
      }).pipe(
        Effect.flatMap((ending) => Effect.map(Deferred.poll(asked), (question) => [ending, question] as const)),
        Effect.flatMap(([ending, question]): Effect.Effect<Result> => {
          if (Option.isSome(question)) return question.value
          return Effect.succeed(
            ending.type === "exited" && ending.code === 0
              ? { type: "done", text: printed.join("\n").trim() }
              : { type: "failed", ending }
          )
        })
      )
      return yield* Effect.raceFirst(worked, Deferred.await(asked))
    })
})
