import { it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { EventEmitter } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { Entrance } from "../../../adapters/http/rest/TokenAuth.ts"
import * as FastRoutes from "../../../adapters/http/rest/FastRoutes.ts"
import { AuthenticatedReads } from "../../../application/ports/AuthenticatedReads.ts"

it.live("work for a client that hung up is stopped", () =>
  Effect.gen(function* () {
    const [begun, stopped] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const teams = () =>
      Effect.onInterrupt(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never), () =>
        Deferred.succeed(stopped, undefined)
      )
    const enterBy = (_needed: unknown, _visit: unknown, look: (hash: string) => Effect.Effect<never>) => look("hash")
    const ports = Layer.merge(
      Layer.succeed(AuthenticatedReads, { teams } as never),
      Layer.succeed(Entrance, { enter: () => Effect.never, enterBy } as never)
    )
    const take = yield* FastRoutes.FastRoutes.pipe(
      Effect.provide(Layer.provide(FastRoutes.layer, ports))
    ) as Effect.Effect<FastRoutes.FastRoutes["Type"]>
    const request = { method: "GET", url: "/v1/teams", headers: {}, socket: {} } as unknown as IncomingMessage
    const response = Object.assign(new EventEmitter(), { writableEnded: false })
    take(request, response as unknown as ServerResponse)
    yield* Deferred.await(begun)
    response.emit("close")
    yield* Deferred.await(stopped)
  })
)
