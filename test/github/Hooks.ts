/** Signed webhooks to apps and repositories. */
import { createHmac, randomUUID } from "node:crypto"
import { request } from "node:http"
import { type Event, payloadOf } from "./Payloads.ts"
import * as State from "./State.ts"
import type { Delivery } from "./State.ts"
import { covers, type Emit, type World } from "./World.ts"

export interface Hooks {
  readonly deliveries: Array<Delivery>
  /** How deliveries leave from now on: at once, when released, or never. */
  readonly mode: (mode: "send" | "hold" | "drop") => void
  /** Sends the deliveries that were held, in the order that `arrange` gives; one may be sent twice. */
  readonly release: (arrange?: (held: ReadonlyArray<Delivery>) => ReadonlyArray<Delivery>) => Promise<void>
  /** Sends each delivery this often. */
  readonly times: (count: number) => void
  /** Events that never leave. */
  readonly drop: (isDropped: (delivery: Delivery) => boolean) => void
  /** Ends when every delivery under way has been answered. */
  readonly idle: () => Promise<void>
  readonly emit: Emit
  /** Greets a new app. */
  readonly ping: (app: State.App) => void
  /** Sends a delivery again, under its own id. */
  readonly resend: (delivery: Delivery) => void
}

export const signatureOf = (secret: string, body: string) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

const headersOf = (delivery: Delivery): Readonly<Record<string, string>> => ({
  "content-type": "application/json",
  "user-agent": "GitHub-Hookshot/0000000",
  accept: "*/*",
  "x-github-delivery": delivery.guid,
  "x-github-event": delivery.event,
  "x-github-hook-id": String(delivery.hook.id),
  "x-github-hook-installation-target-id": String(delivery.app?.id ?? delivery.repository ?? 0),
  "x-github-hook-installation-target-type": delivery.app === null ? "repository" : "integration",
  ...(delivery.hook.secret === null
    ? {}
    : { "x-hub-signature-256": signatureOf(delivery.hook.secret, delivery.payload) })
})

/** Posts a delivery and returns the status; 0 without an answer within a minute. */
const post = (url: string, delivery: Delivery) =>
  new Promise<number>((resolve) => {
    const sent = request(
      url,
      { method: "POST", headers: headersOf(delivery), timeout: 60_000, agent: false },
      (answer) => {
        answer.resume()
        answer.on("end", () => resolve(answer.statusCode ?? 0))
        answer.on("error", () => resolve(0))
      }
    )
    sent.on("timeout", () => sent.destroy())
    sent.on("error", () => resolve(0))
    sent.end(delivery.payload)
  })

export const makeHooks = (world: World): Hooks => {
  const { deliveries } = world
  let held: Array<Delivery> = []
  let mode: "send" | "hold" | "drop" = "send"
  let times = 1
  let isDropped: (delivery: Delivery) => boolean = () => false
  let queue: Promise<void> = Promise.resolve()

  const send = (delivery: Delivery) => {
    queue = queue.then(async () => {
      const { url } = delivery.hook
      delivery.status = url === null ? 0 : await post(url, delivery)
      delivery.deliveredAt = world.clock.now()
    })
    return queue
  }

  const add = (delivery: Delivery) => {
    if (isDropped(delivery) || mode === "drop") return void deliveries.push(delivery)
    deliveries.push(delivery)
    if (mode === "hold") held.push(delivery)
    else for (let count = 0; count < times; count++) void send(delivery)
  }

  const deliver = (hook: State.HookTarget, app: State.App | null, event: Event) => {
    if (hook.url === null) return
    add({
      id: world.nextId(),
      guid: randomUUID(),
      event: event.event,
      action: event.action,
      hook,
      app,
      installation: event.installation?.id ?? null,
      repository: event.repository?.id ?? null,
      payload: JSON.stringify(payloadOf(world, event)),
      isAgain: false,
      status: null,
      deliveredAt: world.clock.now()
    })
  }

  const emit: Emit = (repository, sender, event, action, payload, only) => {
    const about = { repository, sender, event, action, payload }
    const isReached = (one: State.Installation) =>
      repository !== null && covers(one, repository) && one.suspendedAt === null && one.app.events.includes(event)
    const reached = only === undefined ? [...world.installations.values()].filter(isReached) : [only]
    for (const installation of reached) deliver(installation.app.hook, installation.app, { ...about, installation })
    const hooks = (repository?.hooks ?? []).filter((hook) => hook.events?.includes(event) ?? true)
    for (const hook of hooks) deliver(hook, null, { ...about, installation: null })
  }

  const ping = (app: State.App) => {
    const { hook } = app
    const url = `${world.origin}/api/v3/app/hook`
    const times = { created_at: State.timestamp(app.createdAt), updated_at: State.timestamp(app.createdAt) }
    const config = { content_type: "json", insecure_ssl: "0", secret: "********", url: hook.url }
    const about = { type: "App", id: hook.id, name: "web", active: true, app_id: app.id, events: app.events, config }
    const shape = { ...about, ...times, url, ping_url: `${url}/pings`, deliveries_url: `${url}/deliveries` }
    deliver(hook, app, {
      repository: null,
      sender: app.owner,
      event: "ping",
      action: null,
      payload: { zen: "Anything added dilutes everything else.", hook_id: hook.id, hook: shape },
      installation: null
    })
  }

  return {
    deliveries,
    mode: (wanted) => void (mode = wanted),
    times: (count) => void (times = count),
    drop: (wanted) => void (isDropped = wanted),
    release: async (arrange = (all) => all) => {
      const all = arrange(held)
      held = []
      for (const one of all) await send(one)
    },
    idle: async () => {
      for (let seen: Promise<void> | null = null; seen !== queue;) await (seen = queue)
    },
    emit,
    ping,
    resend: (delivery) => {
      const again = { ...delivery, id: world.nextId(), isAgain: true, status: null }
      deliveries.push(again)
      void send(again)
    }
  }
}
