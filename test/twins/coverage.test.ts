import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import { found } from "../application/useCases.ts"
import { operations } from "../openapi/Published.ts"
import { played } from "./Everything.ts"
import { pages } from "../../adapters/http/web/Pages.ts"
import { pageCalls } from "./PageCalls.ts"
import { routes } from "./Routes.ts"
import { elsewhere } from "./UseCases.ts"

/** Methods of ports that take no workspace or return nothing about any, or belong to an address or all workspaces. */
const nobodys = [
  "ChangeLog.signs",
  "ChangeLog.watch",
  "Health.ready",
  "IdentityStore.addChallenge",
  "IdentityStore.addLink",
  "IdentityStore.attempt",
  "IdentityStore.change",
  "IdentityStore.endedOf",
  "IdentityStore.findIdentity",
  "IdentityStore.findLink",
  "IdentityStore.findPasskey",
  "IdentityStore.findSession",
  "IdentityStore.look",
  "IdentityStore.purge",
  "IdentityStore.takeChallenge",
  "JobStore.added",
  "JobStore.lag",
  "RunStore.leasable",
  "SecretStore.keyIds",
  "SignalStore.arrivals",
  "SignalStore.calm",
  "SignalStore.waiting",
  "TrackerStore.now",
  "WorkspaceStore.isEmpty"
]

it("every method of every port is played, but those of nobody", async () => {
  const { unsafeMap } = await Effect.runPromise(Effect.scoped(Layer.build(Memory.layer)))
  const methods = [...unsafeMap].flatMap(([tag, service]) =>
    Object.keys(service as object).map((method) => `${tag.replace("application/", "")}.${method}`)
  )
  assert.isAbove(methods.length, 60)
  assert.deepStrictEqual(methods.filter((name) => !played.has(name)).sort(), nobodys)
})

it("every use case is played, but those that know no workspace", async () => {
  const all = await found()
  assert.deepStrictEqual(
    all.filter((name) => !played.has(name)),
    elsewhere
  )
})

it("every route is asked", () => {
  assert.deepStrictEqual(Object.keys(routes).sort(), [...operations.keys()].sort())
})

it("every page is visited", () => {
  const all = pages.flatMap(({ get, path, post }) => [
    ...(get ? [`GET ${path}`] : []),
    ...(post ? [`POST ${path}`] : [])
  ])
  assert.deepStrictEqual(Object.keys(pageCalls).sort(), all.sort())
})
