/** Webhooks of apps and repositories, and their deliveries. */
import { type Call, created, empty, type Handlers, listed, ok, refuse, requireApp, textOf } from "./Answer.ts"
import { reached } from "./Reach.ts"
import { repositoryApi } from "./Shapes.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

const configOf = ({ url, secret }: State.HookTarget) => ({
  content_type: "json",
  insecure_ssl: "0",
  ...(secret === null ? {} : { secret: "********" }),
  ...(url === null ? {} : { url })
})

const itemShape = (one: State.Delivery) => ({
  id: one.id,
  guid: one.guid,
  delivered_at: State.timestamp(one.deliveredAt),
  redelivery: one.isAgain,
  duration: 0,
  status: one.status !== null && one.status >= 200 && one.status < 300 ? "OK" : "Failed",
  status_code: one.status ?? 0,
  event: one.event,
  action: one.action,
  installation_id: one.installation,
  repository_id: one.repository,
  throttled_at: null
})

const deliveryShape = (one: State.Delivery) => ({
  ...itemShape(one),
  url: one.hook.url ?? "",
  request: { headers: {}, payload: JSON.parse(one.payload) as unknown },
  response: { headers: {}, payload: null }
})

const deliveriesOf = ({ world }: Call, app: State.App) =>
  world.deliveries.filter((one) => one.app === app && one.status !== null)

const deliveryOf = (call: Call) => {
  const found = deliveriesOf(call, requireApp(call)).find(({ id }) => String(id) === call.parameters["delivery_id"])
  if (found === undefined) throw refuse(404, "Not Found")
  return found
}

const hookShape = (world: World, repository: State.Repository, hook: State.HookTarget) => {
  const url = `${repositoryApi(world, repository)}/hooks/${hook.id}`
  return {
    type: "Repository",
    id: hook.id,
    name: "web",
    active: true,
    events: hook.events ?? ["push"],
    config: configOf(hook),
    updated_at: State.timestamp(world.clock.now()),
    created_at: State.timestamp(world.clock.now()),
    url,
    test_url: `${url}/test`,
    ping_url: `${url}/pings`,
    deliveries_url: `${url}/deliveries`,
    last_response: { code: null, status: "unused", message: null }
  }
}

export const hookRoutes: Handlers = {
  "apps/get-webhook-config-for-app": (call) => ok(configOf(requireApp(call).hook)),
  "apps/update-webhook-config-for-app": (call) => {
    const app = requireApp(call)
    const { hook } = app
    app.hook = {
      ...hook,
      url: textOf(call.body["url"]) ?? hook.url,
      secret: textOf(call.body["secret"]) ?? hook.secret
    }
    return ok(configOf(app.hook))
  },
  "apps/list-webhook-deliveries": (call) => {
    const all = deliveriesOf(call, requireApp(call)).toReversed()
    const before = call.query.get("cursor")
    const from = before === null ? 0 : all.findIndex(({ id }) => String(id) === before)
    return listed(call, from < 0 ? [] : all.slice(from), itemShape)
  },
  "apps/get-webhook-delivery": (call) => ok(deliveryShape(deliveryOf(call))),
  "apps/redeliver-webhook-delivery": (call) => {
    call.world.resend(deliveryOf(call))
    return { status: 202, body: {} }
  },
  "repos/list-webhooks": (call) => {
    const { repository } = reached(call, "repository_hooks", "read")
    return listed(call, repository.hooks, (one) => hookShape(call.world, repository, one))
  },
  "repos/create-webhook": (call) => {
    const { repository } = reached(call, "repository_hooks", "write")
    const { url = null, secret = null } = (call.body["config"] ?? {}) as {
      readonly url?: string
      readonly secret?: string
    }
    const events = (call.body["events"] as ReadonlyArray<string> | undefined) ?? ["push"]
    const hook = { id: call.world.nextId(), url, secret, events }
    repository.hooks.push(hook)
    return created(hookShape(call.world, repository, hook))
  },
  "repos/delete-webhook": (call) => {
    const { repository } = reached(call, "repository_hooks", "write")
    const at = repository.hooks.findIndex(({ id }) => String(id) === call.parameters["hook_id"])
    if (at < 0) throw refuse(404, "Not Found")
    repository.hooks.splice(at, 1)
    return empty
  }
}
