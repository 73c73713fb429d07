import { Effect, Schema } from "effect"
import type { Presentation } from "../../application/ports/codehost/CodeHost.ts"
import type { Proposal } from "../../domain/codehost/ChangePullRequest.ts"
import { cut } from "../../domain/value/Text.ts"
import { refused } from "./GitHubClient.ts"
import type { GitHubRepository } from "./GitHubRepository.ts"

/** Name of the service's own check run and status. */
export const context = "gatehouse"

const Statuses = Schema.Struct({
  statuses: Schema.Array(
    Schema.Struct({ context: Schema.String, state: Schema.String, description: Schema.NullOr(Schema.String) })
  )
})

type Shown = Pick<Proposal, "head" | "branch" | "runKey">

/** A status of the commit, once. */
const asStatus = (repository: GitHubRepository, { head }: Shown, { isVerified, summary, url }: Presentation) =>
  Effect.gen(function* () {
    const wanted = { context, state: isVerified ? "success" : "failure", description: cut(summary, 140) }
    const { statuses } = yield* repository.read(`/commits/${head}/status?per_page=100`, Statuses)
    const isShown = statuses.some(
      (one) => one.context === context && one.state === wanted.state && one.description === wanted.description
    )
    if (!isShown) yield* repository.write("POST", `/statuses/${head}`, { ...wanted, target_url: url }, Schema.Unknown)
  })

const CheckRuns = Schema.Struct({
  check_runs: Schema.Array(
    Schema.Struct({
      id: Schema.Number,
      external_id: Schema.NullOr(Schema.String),
      details_url: Schema.NullOr(Schema.String),
      conclusion: Schema.NullOr(Schema.String),
      app: Schema.NullOr(Schema.Struct({ client_id: Schema.optional(Schema.String), id: Schema.Number })),
      output: Schema.Struct({ title: Schema.NullOr(Schema.String), summary: Schema.NullOr(Schema.String) })
    })
  )
})

/** GitHub accepts so many characters. */
const longestTitle = 255
const longestSummary = 60_000

/** A check run of the commit, which is found again by its name and the run: false when the App may not write it. */
const asCheckRun = (repository: GitHubRepository, { branch, head, runKey }: Shown, page: Presentation) =>
  Effect.gen(function* () {
    const wanted = {
      name: context,
      external_id: runKey ?? branch,
      details_url: page.url,
      status: "completed",
      conclusion: page.isVerified ? "success" : "failure",
      output: { title: cut(page.summary, longestTitle) || context, summary: cut(page.body, longestSummary) }
    }
    const app = repository.access.connection.installation?.app
    const { check_runs } = yield* repository.read(
      `/commits/${head}/check-runs?check_name=${context}&filter=all&per_page=100`,
      CheckRuns
    )
    const known = check_runs.find(
      (one) =>
        one.external_id === wanted.external_id &&
        (one.app?.client_id === undefined || one.app.client_id === app || String(one.app.id) === app)
    )
    const isShown =
      known !== undefined &&
      known.conclusion === wanted.conclusion &&
      known.details_url === wanted.details_url &&
      known.output.title === wanted.output.title &&
      known.output.summary === wanted.output.summary
    if (isShown) return true
    const answer =
      known === undefined
        ? yield* repository.ask("POST", "/check-runs", { ...wanted, head_sha: head })
        : yield* repository.ask("PATCH", `/check-runs/${known.id}`, wanted)
    if (answer.status === 200 || answer.status === 201) return true
    if (answer.status === 403 && answer.waitSeconds === null) return false
    return yield* refused(answer, repository.shown, answer.status === 422)
  })

/** Shows the verification of a commit: an App as a check run, a person's token as a status, since it cannot write the other. */
export const present = (repository: GitHubRepository, shown: Shown, page: Presentation) =>
  Effect.gen(function* () {
    const isApp = repository.access.connection.installation !== null
    if (isApp && (yield* asCheckRun(repository, shown, page))) return
    yield* asStatus(repository, shown, page)
  })
