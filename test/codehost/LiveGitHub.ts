import { Effect } from "effect"
import * as Connections from "../../application/codehost/Connections.ts"
import { DecisionStore } from "../../application/ports/DecisionStore.ts"
import * as Json from "../../application/ports/Json.ts"
import { TrackerStore } from "../../application/ports/tracker/TrackerStore.ts"
import { byOf, type Person } from "../../application/workspace/Authorization.ts"
import type { BindingId } from "../../domain/tracker/Binding.ts"
import * as ChangeBinding from "../../domain/tracker/ChangeBinding.ts"
import type { Mapping } from "../../domain/tracker/Mapping.ts"
import { DecisionView, type Kind } from "../../domain/work/Decision.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../domain/workspace/Workspace.ts"
import type { GitHubServer } from "../github/GitHubServer.ts"
import { certificate } from "../runner/GitServer.ts"
import { station, type Station } from "../support/Station.ts"
import * as People from "../support/People.ts"
import type { Program, Settings } from "../support/Process.ts"
import * as Seed from "../support/Seed.ts"
import { gitHub } from "./GitHubPlace.ts"

/** An agent that writes a file, and the environment that it sees. */
export const agent = `cat > /dev/null
case "$GATEHOUSE_STEP" in
plan) echo "Write a file." ;;
spec) mkdir -p ".kanman/acceptance/$GATEHOUSE_STORY"
  printf '#!/bin/sh\\ntest -f done.txt\\n' > ".kanman/acceptance/$GATEHOUSE_STORY/check"
  chmod +x ".kanman/acceptance/$GATEHOUSE_STORY/check" ;;
*) echo "$GATEHOUSE_RUN" > done.txt; env > seen.txt ;;
esac`

export const team = "payments" as TeamSlug

const settings = { DEMO: "off", NODE_EXTRA_CA_CERTS: certificate, OUTGOING_ALLOW: "127.0.0.0/8, ::1/128" }

/** The GitHub of the tests, a database, and instances of the service on it that reach GitHub. */
export const live = Effect.gen(function* () {
  const hub = yield* gitHub("app")
  hub.repository.commit("main", {
    ".kanman/gates.json": JSON.stringify({ gates: [{ name: "test", command: ["sh", "-c", "test -f done.txt"] }] })
  })
  const at = yield* Effect.acquireRelease(
    Effect.promise(() => station()),
    (one) => Effect.promise(() => one.close())
  )
  const serve = (more: Settings = {}) => at.serve({ ...settings, ...more })
  /** A workspace with the team payments and a connection to GitHub. */
  const workspace = (more: { readonly team?: object; readonly [rows: string]: unknown } = {}) =>
    at.run(
      Effect.gen(function* () {
        const { team: given, ...rows } = more
        const { id, slug } = yield* Seed.workspace
        const payments = { slug: team, name: "Payments", keyPrefix: "PAY", repositories: [hub.address], ...given }
        yield* Seed.load(slug, { teams: [payments], ...rows })
        const person = yield* People.person(slug)
        const { connection, webhookSecret } = yield* Connections.create(person, {
          name: "github",
          kind: "github",
          baseUrl: hub.server.origin,
          secret: hub.access.credentials.secret,
          installation: hub.access.connection.installation,
          webhookSecret: null
        })
        return { id, slug, person, connection, webhookSecret }
      })
    )
  return { hub, at, serve, workspace }
})

/** Binds the team payments to acme/pay. */
export const bindTo = (id: WorkspaceId, person: Person, connection: string, mapping: Mapping) => {
  const project = { id: crypto.randomUUID() as string as BindingId, platform: "github" as const, project: "acme/pay" }
  const bind = ChangeBinding.bind(byOf(person), { ...project, connection, mapping })
  return Effect.flatMap(TrackerStore, (store) => store.change(id, team, bind))
}

/** A moment at which a process is killed: when GitHub has this request, before or after its effect. */
export type Moment = readonly [operation: string, when: "before" | "after"]

/** Kills at each moment, once; GitHub answers when it has been done. */
export const killAt = ({ moods }: GitHubServer, moments: ReadonlyArray<Moment>, kill: () => Promise<void>) => {
  for (const [operation, when] of moments) {
    let end: () => void = () => {}
    const until = new Promise<void>((resolve) => (end = resolve))
    let isMet = false
    moods.next(
      (request) => {
        if (request.operation !== operation || isMet) return false
        isMet = true
        setTimeout(() => void kill().then(end), when === "after" ? 300 : 0)
        return true
      },
      when === "after" ? { kind: "late", until } : { kind: "cut" }
    )
  }
}

/** A runner of the service at an address. */
export const runnerOf = (at: Station, url: string, key: string, name: string, more: Readonly<Record<string, string>>) =>
  at.launch(process.execPath, ["dist/main.js", "runner"], {
    SERVICE_URL: url,
    SERVICE_API_KEY: key,
    RUNNER_NAME: name,
    GIT_SSL_CAINFO: certificate,
    ...more
  })

/** Looks until there is something; a failure shows what the programs wrote. */
export const until = <A>(
  subject: string,
  programs: () => ReadonlyArray<Program>,
  look: () => Promise<A | undefined>
): Effect.Effect<A> =>
  Effect.promise(async () => {
    const deadline = performance.now() + 600_000
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      if (performance.now() > deadline)
        throw new Error(
          `${subject}: ${programs()
            .map((one) => `${one.out()}${one.err()}`)
            .join("\n")}`
        )
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })

const decodeDecision = Json.decoder(DecisionView)

/** The first pending decision of a kind. */
export const pending = async (at: Station, id: WorkspaceId, kind: Kind) => {
  const filter = { status: "pending", team: null, run: null } as const
  const { items } = await at.run(
    Effect.flatMap(DecisionStore, (store) => store.page(id, filter, { limit: 10, before: null }))
  )
  return Json.each(items)
    .map(decodeDecision)
    .find((one) => one.kind === kind)
}
