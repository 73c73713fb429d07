import { Deferred, Duration, Effect, Option, Schema } from "effect"
import { join } from "node:path"
import { cut, oneLine } from "../../../domain/value/Text.ts"
import { cutWords } from "../SecretRedaction.ts"
import * as Child from "../process/Child.ts"
import { followed } from "../process/FollowedFile.ts"
import type { Agent, Problem, Result, Task } from "./Agent.ts"
import { costMeter } from "./CostMeter.ts"
import type { Prices, Tokens } from "./Prices.ts"

/** A sign of a program, read from one event of its output. */
export type Sign =
  | { readonly type: "session"; readonly id: string }
  /** The program says whether the tools of the service are connected. */
  | { readonly type: "tools"; readonly isConnected: boolean }
  /** A line for people: a message, a call of a tool, a changed file. */
  | { readonly type: "line"; readonly text: string }
  /** Tokens that were used since the last such sign. */
  | { readonly type: "tokens"; readonly model: string; readonly tokens: Tokens }
  /** The program's own figure of the cost of this process so far; a guess where it does not know the price either. */
  | { readonly type: "dollars"; readonly total: number; readonly isGuess: boolean }
  | { readonly type: "refused"; readonly tool: string }
  | { readonly type: "ended"; readonly text: string; readonly problem: Problem | null }

/** How a program is started for one task. */
export interface Start {
  readonly argv: readonly [string, ...ReadonlyArray<string>]
  readonly env?: Readonly<Record<string, string>>
  /** Files below HOME, which are written as the user of the agents. */
  readonly files?: Readonly<Record<string, string>>
  /** Line of a shell that runs before the program. */
  readonly before?: string
}

/** A coding agent that is driven by its command line and prints one JSON object a line. */
export interface Program {
  readonly name: string
  readonly command: string
  readonly start: (task: Task, session: string | null) => Start
  /** Makes a reader of the events of one process, which may resume a session. */
  readonly reader: (session: string | null) => (event: unknown) => ReadonlyArray<Sign>
  /**
   * The file in which the program records a session while it works, where its output lacks what that says: a folder below
   * HOME, and how the name of the file ends. Its lines are events too.
   */
  readonly record?: (session: string) => { readonly folder: string; readonly ending: string }
  /** Words on standard error after which a session is not known any more. */
  readonly sessionLost: RegExp
}

export interface Means {
  readonly version: string | null
  readonly clocks: Child.Command["clocks"]
  readonly prices: Prices
  /** Time for the end of a process after its last event. */
  readonly patience: Duration.Duration
}

/** An agent that has said its last word is given this long to end; some never do. */
export const patience = Duration.seconds(30)

const parsed = Schema.decodeUnknownOption(Schema.parseJson(Schema.Unknown))

/** Writes files as the user of the agents, and replaces itself by the program. */
const wrapped = ({ argv, before = "", env = {}, files = {} }: Start) => {
  const written = Object.entries(files)
  const names = written.map((_, index) => `GATEHOUSE_FILE_${index}`)
  const lines = [
    ...written.map(
      ([path], index) =>
        `file="$HOME/${path}"; mkdir -p "\${file%/*}" && rm -f "$file" && printf '%s' "$GATEHOUSE_FILE_${index}" > "$file"`
    ),
    before,
    ...names.map((name) => `unset ${name}`),
    'unset file; exec "$@"'
  ].filter((line) => line !== "")
  return {
    argv: ["/bin/sh", "-c", `umask 077\n${lines.join("\n")}`, "sh", ...argv] as const,
    env: { ...env, ...Object.fromEntries(written.map(([, text], index) => [names[index] ?? "", text])) }
  }
}

const notConnected: Problem = {
  failureClass: "transient",
  words: "the tools of Gatehouse did not connect, so it could ask nobody"
}

const noResult: Problem = { failureClass: "transient", words: "it ended without a result" }

/** Time between two looks at the record of a session. */
const lookAgain = Duration.millis(500)

/** Longest line of a log that an event becomes. */
const mostWords = 2000

/** Drives a program; it resumes the session of the task, or begins a new one where that is lost. */
export const programAgent = (program: Program, means: Means): Agent => {
  const once = (task: Task, session: string | null): Effect.Effect<Result | "session lost"> =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<Result>()
      const stopped = yield* Deferred.make<Result>()
      const read = program.reader(session)
      const meter = costMeter(means.prices, task.on)
      const { argv, env } = wrapped(program.start(task, session))
      let last = ""
      let isLost = false
      let wasSilent = true
      const fail = (problem: Problem, code: number | null = null): Result => ({
        type: "failed",
        ending: { type: "exited", code, signal: null },
        problem
      })
      const known = yield* Deferred.make<string>()
      const follow = (sign: Sign) => {
        switch (sign.type) {
          case "session":
            Deferred.unsafeDone(known, Effect.succeed(sign.id))
            return task.on({ type: "session", session: `${program.name}:${sign.id}` })
          case "tools":
            return sign.isConnected ? undefined : Deferred.unsafeDone(stopped, Effect.succeed(fail(notConnected)))
          case "line":
            last = sign.text
            return task.on({ type: "progress", text: cutWords(oneLine(sign.text), mostWords) })
          case "refused":
            return task.on({ type: "refused", tool: cut(oneLine(sign.tool), 200) })
          case "tokens":
            return meter.tokens(sign.model, sign.tokens)
          case "dollars":
            return meter.dollars(sign.total, sign.isGuess)
          case "ended": {
            const isDone = sign.problem === null
            const result: Result = isDone ? { type: "done", text: sign.text } : fail(sign.problem)
            return Deferred.unsafeDone(ended, Effect.succeed(result))
          }
        }
      }
      const onLine = (line: string, stream: "stdout" | "stderr") => {
        const event = stream === "stdout" ? parsed(line) : Option.none()
        if (Option.isSome(event)) {
          wasSilent = false
          for (const sign of read(event.value)) follow(sign)
          return
        }
        if (line.trim() === "") return
        if (session !== null && wasSilent && program.sessionLost.test(line)) isLost = true
        if (stream === "stderr") last = line
        task.on({ type: "output", line })
      }
      const worked = Child.run({
        argv,
        cwd: task.folder,
        env: { ...task.env, ...env },
        input: session === null ? task.prompt : `The working directory is now ${task.folder}\n\n${task.prompt}`,
        isolation: task.isolation,
        clocks: means.clocks,
        onLine,
        onStart: task.onStart
      }).pipe(
        Effect.flatMap((ending) => Effect.map(Deferred.poll(ended), (found) => [ending, found] as const)),
        Effect.flatMap(([ending, found]): Effect.Effect<Result> => {
          if (Option.isSome(found)) return found.value
          const isExit = ending.type === "exited"
          return Effect.succeed({
            type: "failed",
            ending,
            ...(isExit && {
              problem: {
                ...noResult,
                words:
                  last === ""
                    ? noResult.words
                    : `${noResult.words}. Its last words: ${cutWords(oneLine(last), mostWords)}`
              }
            })
          })
        })
      )
      const recording = Effect.gen(function* () {
        const { record } = program
        if (record === undefined) return yield* Effect.never
        const { ending, folder } = record(yield* Deferred.await(known))
        const uid = task.isolation.account?.uid ?? process.getuid?.()
        const look = followed(join(task.env["HOME"] ?? "", folder), ending, uid, (line) => {
          const event = parsed(line)
          if (Option.isSome(event)) for (const sign of read(event.value)) follow(sign)
        })
        return yield* Effect.forever(Effect.zipRight(Effect.ignore(Effect.tryPromise(look)), Effect.sleep(lookAgain)))
      })
      /** `ended` is the last event: a program that stays all the same is ended. */
      const overdue = Effect.zipLeft(Deferred.await(ended), Effect.sleep(means.patience))
      const result = yield* Effect.raceAll([worked, overdue, Deferred.await(stopped), recording])
      if (isLost && result.type === "failed") return "session lost"
      // An agent that works without the tools, and says nothing of it, is not trusted either.
      return result.type === "done" && !task.mcp.isConnected() ? fail(notConnected) : result
    })

  const own = (session: string | null): string | null =>
    session?.startsWith(`${program.name}:`) ? session.slice(program.name.length + 1) : null

  return {
    name: program.name,
    version: means.version,
    work: (task) =>
      Effect.gen(function* () {
        const result = yield* once(task, own(task.session))
        if (result !== "session lost") return result
        task.on({ type: "progress", text: "The session is lost; a new one begins." })
        const again = yield* once(task, null)
        return again === "session lost" ? { type: "failed", ending: { type: "exited", code: 1, signal: null } } : again
      })
  }
}
