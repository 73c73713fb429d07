import type * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Option, Schema } from "effect"
import * as ReceiveHook from "../../../application/codehost/ReceiveHook.ts"
import type { ConnectionStore } from "../../../application/ports/connection/ConnectionStore.ts"
import type { TrackerStore } from "../../../application/ports/tracker/TrackerStore.ts"
import type { Sealing } from "../../../application/secrets/Sealing.ts"
import type { Signature } from "../../../domain/value/Signature.ts"
import { Name } from "../../../domain/value/Text.ts"
import { ClientAddress } from "../server/ClientAddress.ts"
import { FloodGuard } from "../server/FloodGuard.ts"
import { type Application, pathOf } from "../server/Host.ts"
import { misrouted, notFound, refused } from "../server/JsonErrors.ts"
import * as RequestBody from "../server/RequestBody.ts"
import { Exchange } from "../server/RequestNotes.ts"

/** GitHub sends no larger one. */
const largestHook = 26_214_400

/** Events after which a pull request, a branch, its checks or the reach of the connection may be another. */
const followed: ReadonlySet<string> = new Set([
  "branch_protection_configuration",
  "branch_protection_rule",
  "check_run",
  "check_suite",
  "create",
  "delete",
  "installation",
  "installation_repositories",
  "installation_target",
  "merge_group",
  "pull_request",
  "pull_request_review",
  "push",
  "repository",
  "repository_ruleset",
  "status",
  "workflow_job",
  "workflow_run"
])

const address = /^\/hooks\/github\/([A-Za-z0-9]{32})$/

const Payload = Schema.parseJson(
  Schema.Struct({
    issue: Schema.Struct({ id: Schema.Int, number: Schema.Int.pipe(Schema.positive()) }),
    repository: Schema.Struct({ full_name: Name(200) })
  })
)
const decode = Schema.decodeUnknownOption(Payload)

/** The issue of a webhook, as the tracker names it. */
const issueOf = (body: Uint8Array): ReceiveHook.HookedIssue | null =>
  Option.match(decode(new TextDecoder().decode(body)), {
    onNone: () => null,
    onSome: ({ issue: { id, number }, repository: { full_name: project } }) => ({
      project,
      issue: { id: String(id), key: `${project}#${number}` }
    })
  })

const one = (value: string | ReadonlyArray<string> | undefined): string | null =>
  typeof value === "string" ? value : null

/** Webhooks of connected systems. They are hints, so that nothing happens before the answer but keeping their id. */
export const make = Effect.gen(function* () {
  const context = yield* Effect.context<ConnectionStore | Sealing | Signature | TrackerStore>()
  const guard = yield* FloodGuard
  const clientAddress = yield* ClientAddress

  const answer = Effect.fnUntraced(function* (method: string, path: string) {
    const request = toIncomingMessage(yield* HttpServerRequest.HttpServerRequest)
    const [, token] = address.exec(path) ?? []
    const wrong = misrouted(token === undefined ? [] : ["POST"], method, path)
    if (wrong !== null || token === undefined) return yield* Effect.fail(wrong)
    const found = yield* guard
      .lookUp(
        token,
        () => clientAddress(request.headers, request.socket.remoteAddress),
        () => ReceiveHook.find(token)
      )
      .pipe(Effect.catchTag("ConnectionNotFound", () => notFound(method, path)))
    const event = one(request.headers["x-github-event"])
    const hook = {
      isFollowed: event === null || followed.has(event),
      signature: one(request.headers["x-hub-signature-256"]),
      delivery: one(request.headers["x-github-delivery"]),
      body: yield* RequestBody.bytes(request, largestHook)
    }
    const { isHint, isNew } = yield* ReceiveHook.receive(found, hook, event === "issues" ? issueOf : undefined)
    if (isNew && !isHint)
      yield* Effect.logDebug("a webhook is ignored").pipe(Effect.annotateLogs({ event: event?.slice(0, 100) }))
    // The host shows the answer beside the webhook.
    return HttpServerResponse.unsafeJson({ accepted: isNew, ...(!isHint && { ignored: true }) }, { status: 202 })
  })

  const app: HttpApp.Default = Effect.gen(function* () {
    const { method, url } = yield* HttpServerRequest.HttpServerRequest
    const path = pathOf(url)
    const exchange = yield* Exchange
    return yield* Effect.catchAllCause(answer(method, path), (cause) => refused(cause, exchange, method, path))
  }).pipe(Effect.provide(context))

  return { segments: ["hooks"], app } satisfies Application<never>
})
