import { Effect } from "effect"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert } from "vitest"
import * as Connections from "../../application/codehost/Connections.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { byOf } from "../../application/workspace/Authorization.ts"
import type { BindingId } from "../../domain/tracker/Binding.ts"
import * as ChangeBinding from "../../domain/tracker/ChangeBinding.ts"
import { usualMapping } from "../../domain/tracker/Mapping.ts"
import { DecisionView, type Kind } from "../../domain/work/Decision.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { gitHub } from "../codehost/GitHubPlace.ts"
import { certificate } from "../runner/GitServer.ts"
import { runnerHome } from "../runner/Rig.ts"
import { station } from "../signals/Station.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { session } from "../support/Sessions.ts"
import { browser } from "../web/Visiting.ts"

const script = `cat > /dev/null
case "$GATEHOUSE_STEP" in
plan) echo "Write a file." ;;
spec) mkdir -p ".kanman/acceptance/$GATEHOUSE_STORY"
  printf '#!/bin/sh\\ntest -f done.txt\\n' > ".kanman/acceptance/$GATEHOUSE_STORY/check"
  chmod +x ".kanman/acceptance/$GATEHOUSE_STORY/check" ;;
*) echo "$GATEHOUSE_RUN" > done.txt ;;
esac`

const decodeDecision = Json.decoder(DecisionView)
const team = "payments" as TeamSlug

/** Course of a thread. */
export interface Course {
  /** Requests of which GitHub has one when an instance is killed. */
  readonly killedAt?: ReadonlyArray<string>
  /** Prefix of the story's key. */
  readonly prefix?: string
  readonly policy?: object
  /** Settings of the runner for its agents. */
  readonly runner?: (home: string) => Readonly<Record<string, string>>
  /** Answers of people, in turn: the kind of the decision, the option and a note. */
  readonly answers?: ReadonlyArray<readonly [Kind, string, string]>
  /** Words of the agent that the comment shows. */
  readonly words?: string
}

/**
 * From an issue that is labelled ready to its close: two instances of the service, a runner with an agent, git, and a
 * GitHub of our own. One instance is killed when GitHub has the request, and another one takes its place.
 */
export const thread = ({
  answers = [
    ["plan_approval", "approve_plan", ""],
    ["merge_approval", "merge", ""]
  ],
  killedAt = [],
  policy: given = { executor: "custom", planApproval: "always" },
  prefix = "PAY",
  runner: agents = () => ({ RUNNER_CUSTOM_COMMAND: script }),
  words = "Write a file."
}: Course) =>
  Effect.gen(function* () {
    const hub = yield* gitHub("app")
    const { repository, server } = hub
    repository.commit("main", {
      ".kanman/gates.json": JSON.stringify({ gates: [{ name: "test", command: ["sh", "-c", "test -f done.txt"] }] })
    })
    const home = runnerHome()
    const at = yield* Effect.acquireRelease(
      Effect.promise(() => station()),
      (one) => Effect.promise(() => one.close())
    )
    const settings = { DEMO: "off", NODE_EXTRA_CA_CERTS: certificate, OUTGOING_ALLOW: "127.0.0.0/8, ::1/128" }
    const first = yield* Effect.promise(() => at.serve(settings))
    let other = yield* Effect.promise(() => at.serve(settings))
    let kills = 0
    for (const operation of killedAt) {
      let isMet = false
      let end: () => void = () => {}
      const until = new Promise<void>((resolve) => (end = resolve))
      const killed = async () => {
        kills++
        other.service.signal("SIGKILL")
        await at.gone(other.service)
        other = await at.serve(settings)
      }
      server.moods.next(
        (request) => {
          if (request.operation !== operation || isMet) return false
          isMet = true
          setTimeout(() => void killed().then(end), 300)
          return true
        },
        { kind: "late", until }
      )
    }
    const { id, slug } = yield* Effect.promise(() => at.run(Seed.workspace))
    const policy = { preset: "autonomous", mergePolicy: "manual", ...given }
    const payments = { slug: team, name: "Payments", keyPrefix: prefix, policy, repositories: [hub.address] }
    yield* Effect.promise(() => at.run(Seed.load(slug, { teams: [payments] })))
    const person = yield* Effect.promise(() => at.run(People.person(slug)))
    const connection = {
      name: "github",
      kind: "github" as const,
      baseUrl: server.origin,
      secret: hub.access.credentials.secret,
      installation: hub.access.connection.installation,
      webhookSecret: null
    }
    yield* Effect.promise(() => at.run(Connections.create(person, connection)))
    const binding = {
      id: crypto.randomUUID() as string as BindingId,
      connection: "github",
      platform: "github" as const,
      project: "acme/pay",
      mapping: usualMapping
    }
    yield* Effect.promise(() =>
      at.run(Effect.flatMap(TrackerStore, (store) => store.change(id, team, ChangeBinding.bind(byOf(person), binding))))
    )
    const { value } = yield* Effect.promise(() => at.run(Seed.token(slug)))
    const runner = at.launch(process.execPath, ["dist/main.js", "runner"], {
      SERVICE_URL: first.url,
      SERVICE_API_KEY: value,
      RUNNER_NAME: "issue-thread",
      RUNNER_DIR: join(home, "runner"),
      ...agents(home),
      GIT_SSL_CAINFO: certificate
    })
    yield* Effect.addFinalizer(() =>
      Effect.promise(async () => {
        for (const program of [runner, first.service, other.service]) program.signal("SIGKILL")
        rmSync(home, { recursive: true, force: true })
      })
    )
    const until = <A>(subject: string, look: () => Promise<A | undefined>) =>
      Effect.promise(async () => {
        const deadline = performance.now() + 400_000
        for (;;) {
          const found = await look()
          if (found !== undefined) return found
          if (performance.now() > deadline)
            throw new Error(`${subject}: ${first.service.err()}${other.service.err()}${runner.out()}${runner.err()}`)
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
      })
    const member = browser(first.url, `gatehouse=${yield* Effect.promise(() => at.run(session(slug, "member")))}`)
    const answer = (kind: Kind, option: string, note: string) =>
      Effect.gen(function* () {
        const filter = { status: "pending", team: null, run: null } as const
        const { key } = yield* until(`the ${kind}`, async () => {
          const { items } = await at.run(
            Effect.flatMap(DecisionStore, (store) => store.page(id, filter, { limit: 10, before: null }))
          )
          return Json.each(items)
            .map(decodeDecision)
            .find((one) => one.kind === kind)
        })
        const { status, text } = yield* Effect.promise(() => member.post(`/${slug}/decisions/${key}`, { option, note }))
        assert.oneOf(status, [200, 303], text)
        return key
      })

    const body = "Fees are cut.\n\n## Acceptance criteria\n\n- [ ] Fees are rounded\n\n## Demonstrate\n\n1. Pay 10"
    yield* hub.ana("POST", "/issues", { title: "Round the fees", body, labels: ["ready"] })
    const keys = yield* Effect.forEach(answers, (one) => answer(...one))
    const issue = yield* until("the closed issue", async () => {
      const found = hub.kept.issues.find((one) => one.pull === null && one.title === "Round the fees")
      const comment = found?.comments[0]?.body ?? ""
      return found?.state === "closed" && comment.includes("is done") ? found : undefined
    })
    assert.strictEqual(issue.stateReason, "completed")
    assert.strictEqual(issue.comments.length, 1)
    const [comment] = issue.comments
    for (const part of [...keys, "/pull/", words]) assert.include(comment?.body, part)
    assert.strictEqual(issue.body, body)
    assert.strictEqual(repository.git("rev-list", "--count", "--merges", "main"), "1")
    assert.deepStrictEqual(server.violations, [])
    return kills
  }).pipe(Effect.scoped)
