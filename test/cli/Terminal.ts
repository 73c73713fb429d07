import { NodeContext } from "@effect/platform-node"
import { ConfigProvider, Context, Effect, Exit, Layer, ManagedRuntime } from "effect"
import { explain } from "../../adapters/cli/Failures.ts"
import * as Cli from "../../adapters/cli/Cli.ts"
import { Stdin } from "../../adapters/cli/Stdin.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as Equipment from "../support/Equipment.ts"
import type { Stores } from "../support/World.ts"

export interface Printed {
  readonly code: number
  readonly out: ReadonlyArray<string>
  readonly err: ReadonlyArray<string>
}

/** Made once for all tests: it holds no state. */
const made = ManagedRuntime.make(Equipment.layer)
const equipment = Layer.effectContext(Effect.map(made.runtimeEffect, ({ context }) => context))

/** Output and exit code of one command. */
const type = (
  words: ReadonlyArray<string>,
  ports: Layer.Layer<Stores | Equipment.Equipment>,
  input: string,
  world: Context.Context<never>
) =>
  Effect.consoleWith((console) => {
    const [out, err]: [Array<string>, Array<string>] = [[], []]
    const into = (lines: Array<string>) => (text: string) => Effect.sync(() => void lines.push(text))
    const code = Cli.run(["node", "main.ts", ...words], ports).pipe(
      Effect.catchAllCause(explain(words.includes("--json"))),
      Effect.withConsole({ ...console, log: into(out), error: into(err) }),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map())),
      Effect.provideService(Stdin, Effect.succeed(input)),
      Effect.provide(world),
      Effect.exit,
      Effect.map((exit) => (Exit.isSuccess(exit) ? 0 : 1))
    )
    return Effect.map(code, (code): Printed => ({ code, out, err }))
  })

/** The command line over stores in memory, which one test's commands share, or over the given ones. */
export const open = (stores?: Layer.Layer<Stores>) => {
  const runtime = ManagedRuntime.make(Layer.mergeAll(Memory.layer, NodeContext.layer, equipment))
  let input = ""
  let world = Context.empty()
  const run = <A, E>(effect: Effect.Effect<A, E, Stores>) => runtime.runPromise(effect)
  const gatehouse = (...words: ReadonlyArray<string>): Promise<Printed> =>
    runtime.runPromise(
      Effect.flatMap(Effect.context<Stores | Equipment.Equipment>(), (context) => {
        const ports = Layer.succeedContext(context)
        return type(words, stores === undefined ? ports : Layer.merge(ports, stores), input, world)
      })
    )
  /** Sets the standard input of later commands. */
  const pipe = (text: string) => void (input = text)
  /** Sets what later commands find outside, in place of the default. */
  const outside = (context: Context.Context<never>) => void (world = context)
  /** Output of a verb for scripts. */
  // oxlint-disable-next-line typescript/no-explicit-any
  const whole = async (...words: ReadonlyArray<string>): Promise<any> => {
    const { code, err, out } = await gatehouse(...words, "--json")
    if (code !== 0 || out.length !== 1 || err.length !== 0) throw new Error([...out, ...err].join("\n"))
    return JSON.parse(out[0] ?? "")
  }
  /** A page of a list for scripts. */
  const page = async (
    ...words: ReadonlyArray<string>
  ): Promise<{ readonly data: ReadonlyArray<unknown>; readonly nextCursor: string }> => whole(...words)
  /** Output of a verb for scripts; of a list, its items alone. */
  const json = async (...words: ReadonlyArray<string>) => {
    const value = await whole(...words)
    return Array.isArray(value?.data) ? value.data : value
  }
  /** Error that a script reads on stderr when a verb fails. */
  const failure = async (
    ...words: ReadonlyArray<string>
  ): Promise<{ readonly code: string; readonly message: string }> => {
    const { code, err, out } = await gatehouse(...words, "--json")
    if (code !== 1 || out.length !== 0 || err.length !== 1) throw new Error([...out, ...err].join("\n"))
    const { error, ...rest } = JSON.parse(err[0] ?? "")
    const keys = [...Object.keys(error), ...Object.keys(rest)]
    if (keys.join() !== "code,message" || typeof error.message !== "string") throw new Error(err[0])
    return error
  }
  return { run, gatehouse, pipe, outside, whole, page, json, failure, close: () => runtime.dispose() }
}
