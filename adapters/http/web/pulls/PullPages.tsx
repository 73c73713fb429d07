import type { WorkspaceId } from "../../../../domain/workspace/Workspace.ts"
import { Effect, Option, Schema } from "effect"
import { hostOf } from "../../../../application/ports/codehost/CodeHost.ts"
import { PullRequestStore } from "../../../../application/ports/codehost/PullRequestStore.ts"
import * as Json from "../../../../application/ports/Json.ts"
import {
  PullRequestNotFound,
  PullRequestNumber,
  PullRequestRecord,
  PullRequestView
} from "../../../../domain/codehost/PullRequestRecord.ts"
import { skipValidation } from "../../../../domain/value/SkipValidation.ts"
import type { Page, View, Visit } from "../Page.ts"
import { PullRequestPage, type Shown } from "./PullViews.tsx"

const decode = Json.decoder(PullRequestView)
const parseNumber = Schema.decodeUnknownOption(PullRequestNumber)

const numberOf = ({ parameters }: Visit) => {
  const { number = "" } = parameters
  return /^[1-9]\d*$/.test(number)
    ? Effect.mapError(parseNumber(Number(number)), () => new PullRequestNotFound({ number }))
    : new PullRequestNotFound({ number: number.slice(0, 100) })
}

/** The changed files; a host that does not answer leaves the page without them. */
const changesOf = (workspace: WorkspaceId, pullRequest: PullRequestView) =>
  Effect.gen(function* () {
    const host = yield* hostOf(workspace, pullRequest.repository)
    if (host === null) return Option.none()
    return yield* Effect.option(host.difference(new PullRequestRecord(pullRequest, skipValidation)))
  })

const shown = Effect.fnUntraced(function* (visit: Visit) {
  const number = yield* numberOf(visit)
  const pullRequest = decode(yield* (yield* PullRequestStore).get(visit.person.workspace, number))
  const detail: Shown = {
    base: visit.base,
    pullRequest,
    changes: Option.getOrNull(yield* changesOf(visit.person.workspace, pullRequest))
  }
  const view: View = {
    title: `#${number}: ${pullRequest.title}`,
    section: null,
    body: <PullRequestPage {...detail} />
  }
  return view
})

export const pages = [{ path: "pulls/:number", get: shown }] satisfies ReadonlyArray<Page<PullRequestStore>>
