// @effect-diagnostics globalFetch:off
import { Effect } from "effect"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { assert, inject, it } from "vitest"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as Json from "../../application/ports/Json.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import { RunStore } from "../../application/ports/RunStore.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Runs from "../../application/work/Runs.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { RecordedEntry } from "../../domain/workspace/Audit.ts"
import { DecisionView } from "../../domain/work/Decision.ts"
import { RunSummary } from "../../domain/work/Run.ts"
import { isOver } from "../../domain/work/RunTransitions.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import { station, type Station } from "../support/Station.ts"
import { naming, type Program, signal } from "../support/Process.ts"
import * as People from "../support/People.ts"
import { ownPort } from "../support/Port.ts"
import { random } from "../support/Random.ts"
import * as Seed from "../support/Seed.ts"
import { runnerHome } from "./Rig.ts"
import { git, repository } from "./Rig.ts"

const full = inject("full")
const [runs, runners, disturbances] = full ? [50, 3, 30] : [6, 2, 4]
const patience = full ? 1_500_000 : 400_000
const everything = { limit: 1000, before: null }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Works for a moment, writes one file of its own story, and leaves a child behind. */
const agent = `cat > /dev/null
case "$GATEHOUSE_STEP" in
plan) echo "Write a file." ;;
spec) mkdir -p ".kanman/acceptance/$GATEHOUSE_STORY"
  printf '#!/bin/sh\\ntest -f "work/%s"\\n' "$GATEHOUSE_STORY" > ".kanman/acceptance/$GATEHOUSE_STORY/check"
  chmod +x ".kanman/acceptance/$GATEHOUSE_STORY/check" ;;
*) (sleep 600 &) ; sleep 1; mkdir -p work; echo "$GATEHOUSE_RUN" > "work/$GATEHOUSE_STORY" ;;
esac`

const document = (repo: string) => ({
  teams: [
    {
      slug: "fleet",
      name: "Fleet",
      keyPrefix: "FL",
      policy: {
        preset: "autonomous",
        executor: "custom",
        planApproval: "large_stories",
        mergePolicy: "verified",
        maxConcurrency: runs
      },
      repositories: [repo]
    }
  ],
  stories: Array.from({ length: runs }, (_, n) => ({
    key: `FL-${n + 1}`,
    team: "fleet",
    title: `Story ${n + 1}`,
    column: { role: "ready" },
    size: n % 3 === 0 ? "l" : "s"
  }))
})

const runsOf = (id: WorkspaceId) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* RunStore).page(id, { team: null, story: null }, everything)
    return Json.each(items).map(Json.decoder(RunSummary))
  })

const answerAll = (id: WorkspaceId, person: Parameters<typeof Decisions.answer>[0]) =>
  Effect.gen(function* () {
    const filter = { status: "pending", team: null, run: null } as const
    const { items } = yield* (yield* DecisionStore).page(id, filter, everything)
    for (const { key, recommendation } of Json.each(items).map(Json.decoder(DecisionView)))
      yield* Effect.ignore(
        Decisions.answer(person, { decision: key, optionId: recommendation, note: null, idempotency: null })
      )
  })

interface Member {
  readonly folder: string
  program: Program
  prefix: string
}

/** Processes of agents below the folders of the runners. */
const agentsOf = (members: ReadonlyArray<Member>) =>
  members.flatMap(({ folder }) =>
    readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid))
      .filter((pid) => {
        try {
          return (
            readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HOME=${folder}`) &&
            readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith("/bin/sh")
          )
        } catch {
          return false
        }
      })
      .map(Number)
  )

const fleet = async (at: Station, url: string, slug: Parameters<typeof Seed.token>[0]) => {
  const start = async (folder: string, name: string) => {
    const { prefix, value } = await at.run(Seed.token(slug))
    const program = at.launch(process.execPath, ["dist/main.js", "runner"], {
      SERVICE_URL: url,
      SERVICE_API_KEY: value,
      RUNNER_NAME: name,
      RUNNER_DIR: folder,
      RUNNER_SLOTS: "4",
      RUNNER_CUSTOM_COMMAND: agent,
      RUNNER_DRAIN_SECONDS: "20"
    })
    return { program, prefix }
  }
  const members: Array<Member> = []
  for (let n = 0; n < runners; n++) {
    const folder = runnerHome()
    members.push({ folder, ...(await start(folder, `runner-${n}`)) })
  }
  return {
    members,
    again: async (n: number) =>
      Object.assign(members[n] as Member, await start((members[n] as Member).folder, `runner-${n}`))
  }
}

it(
  `${runs} runs over ${runners} runners with kill -9 of runner, agent and service and revoked tokens: every run ends, each attempt once, and nothing is merged twice`,
  async ({ task }) => {
    const at = await station()
    const settings = { PORT: String(await ownPort()), DEMO: "off" }
    let { service, url } = await at.serve(settings)
    try {
      const { id, slug } = await at.run(Seed.workspace)
      const repo = repository(dirname(at.folder()), {
        "README.md": "Hi\n",
        ".kanman/gates.json": '{"gates":[{"name":"ok","command":["true"]}]}'
      })
      await at.run(Seed.load(slug, document(repo)))
      const person = await at.run(People.person(slug))
      const { again, members } = await fleet(at, url, slug)
      const serviceAgain = async (away: number) => {
        service.signal("SIGKILL")
        await service.ended()
        await pause(away)
        ;({ service, url } = await at.serve(settings))
      }
      const kinds = ["runner", "agent", "service", "token"] as const
      const count = { runner: 0, agent: 0, service: 0, token: 0, away: 0 }
      const disturb = async (n: number) => {
        const kind = full && n === Math.floor(disturbances / 2) ? "away" : (kinds[n % kinds.length] ?? "agent")
        const which = Math.floor(random() * members.length)
        const member = members[which] as Member
        count[kind]++
        if (kind === "service" || kind === "away") return serviceAgain(kind === "away" ? 60_000 : 500)
        if (kind === "agent") {
          const [pid] = agentsOf(members)
          if (pid !== undefined) signal(pid, "SIGKILL")
          return
        }
        if (kind === "runner") {
          member.program.signal("SIGKILL")
          await member.program.ended()
        } else {
          await at.run(Tokens.revoke(bySystem, { workspace: slug, prefix: member.prefix }))
          const { code } = await member.program.ended(90)
          assert.strictEqual(code, 77)
        }
        await again(which)
      }
      const deadline = performance.now() + patience - 60_000
      let next = 0
      let calm = performance.now()
      for (;;) {
        await at.run(answerAll(id, person))
        const all = await at.run(runsOf(id))
        for (const { key, status } of all)
          if (status === "failed" || status === "timed_out") await at.run(Effect.ignore(Runs.retry(person, key, null)))
        if (all.length === runs && all.every(({ status }) => isOver(status)) && next >= disturbances) break
        assert.isBelow(
          performance.now(),
          deadline,
          `not over: ${all.filter(({ status }) => !isOver(status)).map(({ key, stage, status }) => `${key} ${status} ${stage}`)}`
        )
        if (next < disturbances && performance.now() > calm) {
          await disturb(next++)
          calm = performance.now() + 1000 + random() * 4000
        }
        await pause(250)
      }
      const all = await at.run(runsOf(id))
      assert.deepStrictEqual([...new Set(all.map(({ status }) => status))], ["succeeded"])
      const merges = git(repo, "log", "--merges", "--grep=^Merge pull request", "--format=%s", "main").split("\n")
      assert.strictEqual(new Set(merges).size, merges.length, merges.join("\n"))
      for (const { key, story } of all) assert.strictEqual(git(repo, "show", `main:work/${story.key}`), key)
      const entries = await at.run(
        Effect.flatMap(AuditLog, (log) =>
          log.page(id, { ...Seed.anyEntry, event: "run_state_changed" }, { limit: 100_000, before: null })
        )
      )
      const ends = new Map<string, number>()
      for (const { details, runKey } of Json.each(entries.items).map(Json.decoder(RecordedEntry))) {
        const after = details["after"] as { readonly status?: string } | undefined
        if (after?.status === "succeeded") ends.set(String(runKey), (ends.get(String(runKey)) ?? 0) + 1)
      }
      assert.deepStrictEqual([...new Set(ends.values())], [1])
      for (const { program } of members) {
        await program.says(/Online at/, 90)
        program.signal("SIGTERM")
      }
      for (const { program } of members) assert.strictEqual((await program.ended(90)).code, 0)
      const left = members.flatMap(({ folder }) => naming(folder).map(([, command]) => command))
      assert.deepStrictEqual([left, agentsOf(members)], [[], []])
      const attempts = all.reduce((sum, { attempts }) => sum + attempts, 0)
      task.meta.figures = `${runs} runs in ${attempts} attempts over ${runners} runners; ${count.runner} kills of a runner, ${count.agent} of an agent, ${count.service} of the service, ${count.token} tokens revoked${count.away > 0 ? ", the service away for a minute" : ""}; all merged, none twice`
      for (const { folder } of members) rmSync(folder, { recursive: true, force: true })
    } finally {
      service.signal("SIGTERM")
      await at.close()
    }
  },
  patience
)
