import { type ChildProcess, fork } from "node:child_process"

export const works = ["page", "one", "teams", "resolve", "intake", "intake-batch", "audit", "export"] as const
export type Work = (typeof works)[number]

/** Pages of the app and a tool of agents, and the REST reads of the same data. */
export type AppWork = "decisions-page" | "pending" | "decision-page" | "decision" | "get-story" | "story" | "app-page"

/** Address of the workspace in the app, and the cookie of a session. */
export interface App {
  readonly base: string
  readonly cookie: string
}

/** Order to the load generator. */
export interface Order {
  readonly url: string
  readonly work: Work | AppWork | "alertmanager" | "hook"
  readonly requests: number
  readonly connections: number
  /** The first request's number: each requests a different object. */
  readonly from: number
  readonly tokens: number
  readonly rows: number
  /** Addresses for works that do not read at the beginning. */
  readonly paths?: ReadonlyArray<string>
  readonly source?: { readonly path: string; readonly secret: string }
  readonly app?: App
  /** Address and secret of a connection's webhooks. */
  readonly hook?: { readonly path: string; readonly secret: string }
}

export interface Measured {
  readonly requests: number
  readonly seconds: number
  /** In milliseconds, as the two percentiles, since a moment that all processes share. */
  readonly began: number
  readonly p50: number
  readonly p99: number
  /** Of all responses, heads included. */
  readonly bytes: number
  readonly statuses: Readonly<Record<number, number>>
}

export const perSecond = ({ requests, seconds }: Pick<Measured, "requests" | "seconds">) => requests / seconds

/** A separate process that puts load on a service. */
export const generator = (file: string) => {
  const child: ChildProcess = fork(file)
  return {
    load: (order: Order) =>
      new Promise<Measured>((resolve, reject) => {
        const ended = (code: number | null) => reject(new Error(`the load generator ended with ${code}`))
        child.once("exit", ended)
        child.once("message", (answer: { readonly measured?: Measured; readonly problem?: string }) => {
          child.off("exit", ended)
          if (answer.measured) resolve(answer.measured)
          else reject(new Error(answer.problem))
        })
        child.send(order)
      }),
    close: () => child.kill()
  }
}

export type Generator = ReturnType<typeof generator>
