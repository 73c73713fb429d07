import { Context, Effect } from "effect"
import { afterAll, assert, beforeAll, it } from "vitest"
import * as MemoryTracker from "../../adapters/memory/tracker/MemoryTracker.ts"
import { ConnectedSystems, type Systems } from "../../application/ports/connection/ConnectedSystems.ts"
import { Trackers } from "../../application/ports/tracker/Trackers.ts"
import { Posting } from "../../adapters/PostSignal.ts"
import * as TriageWorker from "../../application/jobs/TriageWorker.ts"
import { OnCallStore } from "../../application/ports/OnCallStore.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as OnCall from "../support/OnCall.ts"
import { turns } from "../support/Share.ts"
import { type Acme, acme, asAdmin, asMember, asOwner, open, payments } from "./Acme.ts"
import { file, settle, verbs } from "./Verbs.ts"

settle()
let at: Acme
beforeAll(async () => {
  at = await open()
  at.pipe("https://chat.example.com/hook")
  const { tracker } = MemoryTracker.make()
  const systems = { test: () => Effect.succeed({ problem: null, missing: [] }) } as unknown as Systems
  const outside = Context.make(Posting, accepting).pipe(
    Context.add(Trackers, () => tracker),
    Context.add(ConnectedSystems, systems)
  )
  at.outside(outside as unknown as Context.Context<never>)
})
afterAll(() => at.close())

const isList = (verb: string) => /(^| )(list|deliveries)$/.test(verb)

const down = (here: Acme, environment: string) =>
  here.run(
    Effect.gen(function* () {
      const workspace = yield* Workspaces.idOf("acme" as WorkspaceSlug)
      const { sources } = yield* (yield* OnCallStore).look(workspace)
      const source = sources.find(({ name }) => name === "tool") ?? assert.fail("there is no source")
      const id = yield* OnCall.receive({ workspace, source }, environment)
      yield* TriageWorker.drain()
      return id
    })
  )

const accepting: Posting["Type"] = () =>
  Effect.promise(async () => ({ status: 202, text: JSON.stringify({ deliveryId: await down(at, "test") }) }))

it("for scripts, every list is a page as the API has it, and every other verb prints one object", async () => {
  const toured = new Set<string>()
  const tour = async (verb: string, ...words: ReadonlyArray<string>) => {
    toured.add(verb)
    const value = await at.whole(...verb.split(" "), ...words)
    if (isList(verb)) {
      assert.deepStrictEqual(Object.keys(value), ["data", "nextCursor"], verb)
      assert.isArray(value.data, verb)
      for (const one of value.data) assert.isObject(one, verb)
    } else {
      assert.isObject(value, verb)
      assert.notProperty(value, "data", verb)
    }
    return value
  }
  const listed = async (verb: string, ...words: ReadonlyArray<string>) => {
    const { data } = await tour(verb, ...words)
    assert.isNotEmpty(data, verb)
    return data
  }

  const ann = ["--email", "ann@acme.test"]
  await tour("workspace create", "--slug", "b", "--name", "B", "--owner-email", "o@b.test", "--owner-name", "O")
  await listed("workspace list")
  await tour("workspace rename", "--workspace", "b", "--to", "c")
  await tour("workspace delete", "--workspace", "c", "--confirm", "c")
  await tour("import", ...acme, file("lab.json", '{"teams":[{"slug":"lab","name":"Lab","keyPrefix":"LAB"}]}'))
  await tour("member add", ...acme, ...ann, "--name", "Ann")
  const set = await tour("member set", ...asAdmin, ...ann, "--role", "admin")
  assert.deepStrictEqual((await listed("member list", ...acme)).at(-1), set)
  await tour("member sign-in-link", ...acme, ...ann)
  await tour("member remove", ...acme, ...ann)

  const ofOwner = ["--member", "owner@acme.test"]
  const ci = ["--name", "ci", "--permissions", "read", "--expires", "30d"]
  const { prefix } = await tour("token create", ...acme, ...ofOwner, ...ci)
  await listed("token list", ...acme, ...ofOwner)
  await tour("token revoke", ...acme, "--prefix", prefix)

  const web = ["--team", "web"]
  const created = await tour("team create", ...asAdmin, "--slug", "web", "--name", "Web", "--key-prefix", "WEB")
  assert.deepStrictEqual(await tour("team show", ...asMember, ...web), created)
  await tour("team set", ...asAdmin, ...web, "--repository", "https://git.acme.test/web")
  await tour("team pause", ...asAdmin, ...web)
  assert.deepStrictEqual(
    await tour("team resume", ...asAdmin, ...web),
    await at.whole("team", "show", ...asMember, ...web)
  )
  await listed("team list", ...asMember)
  await tour("policy set", ...asAdmin, ...web, "--max-concurrency", "2")
  await tour("policy show", ...asMember, ...web)
  await tour("team delete", ...asOwner, ...web, "--confirm", "web")
  const chat = [...payments, "--name", "chat"]
  await tour("team place add", ...asAdmin, ...chat, "--url-stdin")
  await listed("team place list", ...asMember, ...payments)
  await tour("team place remove", ...asAdmin, ...chat)

  const ready = ["--description", "Why", "--criterion", "It works", "--demonstrate", "Look"]
  const { key: draft } = await tour("story create", ...asMember, ...payments, "--title", "One", "--draft", ...ready)
  await tour("story approve", ...asMember, "--story", draft)
  const rejected = await at.story("--draft")
  await tour("story reject", ...asMember, "--story", rejected)
  const story = ["--story", draft]
  await tour("story edit", ...asMember, ...story, "--size", "m")
  await tour("story move", ...asMember, ...story, "--column", "refining")
  await tour("story show", ...asMember, ...story)
  await listed("story list", ...asMember, ...payments)

  const { run } = await tour("run start", ...asMember, ...story)
  await tour("run lease", ...acme)
  const { raised } = await tour("run report", ...acme, "--run", run, "--question", "Which currency?")
  await listed("decision list", ...asMember)
  await tour("decision show", ...asMember, "--decision", raised[0])
  await tour("decision answer", ...asMember, "--decision", raised[0], "--option", "answer", "--note", "Euros")
  await tour("decision raise", ...asMember, "--kind", "clarification", "--title", "Why?", "--run", run)
  await tour("run stop", ...asMember, "--run", run, "--yes")
  await tour("run retry", ...asMember, "--run", run)
  await at.whole("run", "lease", ...acme)
  await tour("run finish", ...acme, "--run", run, "--outcome", "failed")
  await tour("run show", ...asMember, "--run", run)
  await tour("run logs", ...asMember, "--run", run)
  await listed("run list", ...asMember)

  await at.register()
  const [runner] = await listed("runner list", ...asMember)
  assert.deepStrictEqual(await tour("runner show", ...asMember, "--name", "build-1"), runner)
  await tour("runner drain", ...asAdmin, "--name", "build-1")
  await tour("runner remove", ...asAdmin, "--name", "build-1")
  const made = await tour("connection create", ...asAdmin, "--name", "github", "--kind", "github", "--token-stdin")
  const { webhookSecret, ...connected } = made
  assert.match(webhookSecret, /^[A-Za-z0-9]{32}$/)
  const github = ["--name", "github"]
  assert.deepStrictEqual(await tour("connection show", ...asMember, ...github), connected)
  const { webhookUrl, ...row } = connected
  assert.include(webhookUrl, "/hooks/github/")
  assert.deepStrictEqual(await listed("connection list", ...asMember), [row])
  await tour("connection renew", ...asAdmin, ...github, "--token-stdin")
  await tour("connection test", ...asAdmin, ...github)
  const project = [...payments, "--connection", "github", "--project", "acme/pay"]
  await tour("tracker check", ...asAdmin, ...project, "--column", "status:To=do=backlog", "--size", "big=l")
  const labelled = ["--class", "urgent=expedite", "--column", "label:status: ready=ready"]
  const { mapping } = await tour("tracker bind", ...asAdmin, ...project, ...labelled)
  assert.deepStrictEqual(mapping.columns, [{ mark: { kind: "label", name: "status: ready" }, column: "ready" }])
  assert.deepStrictEqual((await tour("tracker show", ...asMember, ...payments)).mapping, mapping)
  assert.strictEqual((await tour("tracker unbind", ...asAdmin, ...payments)).keptStories, 0)
  await tour("connection remove", ...asAdmin, ...github)

  const service = ["--name", "checkout"]
  await tour("service create", ...asAdmin, ...payments, ...service)
  const changed = await tour("service set", ...asAdmin, ...service, "--settings", '{"minimumSeverity":"low"}')
  assert.deepStrictEqual(await tour("service show", ...asMember, ...service), changed)
  await listed("service list", ...asMember)
  const tool = ["--name", "tool"]
  await tour("source create", ...asAdmin, ...tool, "--kind", "generic", "--services", "checkout")
  await tour("source set", ...asAdmin, ...tool, "--severity", "page=critical")
  for (const verb of ["source pause", "source resume", "source rotate"]) await tour(verb, ...asAdmin, ...tool)
  const pager = ["--name", "pager"]
  await at.whole("source", "create", ...asAdmin, ...pager, "--kind", "pagerduty", "--services", "checkout")
  await tour("source secret", ...asAdmin, ...pager, "--secret-stdin")
  at.pipe('{"key":"k","from":"oncall@acme.test"}')
  await tour("source credentials", ...asAdmin, ...pager, "--stdin")
  const delivery = await down(at, "prod")
  await listed("source list", ...asMember)
  await tour("source show", ...asMember, ...tool)
  await listed("source deliveries", ...asMember, ...tool)
  await listed("delivery list", ...asMember, "--source", "tool")
  await tour("source replay", ...asAdmin, "--delivery", delivery)
  await tour("source test", ...asAdmin, ...tool)
  const [{ key }] = await listed("incident list", ...asMember)
  const incident = ["--incident", key]
  await listed("alert list", ...asMember, ...incident)
  const taken = await tour("incident acknowledge", ...asMember, ...incident)
  const { alertList: _, ...shown } = await tour("incident show", ...asMember, ...incident)
  assert.deepStrictEqual(shown, taken)
  await tour("incident resolve", ...asMember, ...incident)
  await tour("notification list", ...asMember)
  await tour("notification read", ...asMember)
  await listed("job list", ...acme)
  await listed("audit list", ...asAdmin)
  await tour("audit verify", ...acme)
  await tour("source delete", ...asAdmin, ...tool, "--confirm", "tool")
  await at.whole("source", "delete", ...asAdmin, ...pager, "--confirm", "pager")
  await tour("service delete", ...asAdmin, ...service, "--confirm", "checkout")
  await tour("mcp", "--print", "codex")
  await tour("demo")
  assert.deepStrictEqual([...toured].toSorted(), verbs.map((words) => words.join(" ")).toSorted())
})

it.each(turns(verbs).map((words) => [words.join(" "), words] as const))("%s refuses in one shape", async (_, words) => {
  assert.strictEqual((await at.failure(...words, "--nope")).code, "invalid_usage")
})

it.each([
  ["source deliveries", "--name"],
  ["delivery list", "--source"]
])("%s comes in pages", async (verb, option) => {
  const here = await open()
  await here.json("service", "create", ...asAdmin, ...payments, "--name", "checkout")
  await here.json("source", "create", ...asAdmin, "--name", "tool", "--kind", "generic", "--services", "checkout")
  const ids = [await down(here, "a"), await down(here, "b"), await down(here, "c")]
  const list = [...verb.split(" "), ...asMember, option, "tool"]
  const first = await here.page(...list, "--limit", "2")
  const { data, nextCursor } = await here.page(...list, "--cursor", first.nextCursor)
  assert.deepStrictEqual(
    [...first.data, ...data].map((one) => (one as { readonly id: string }).id),
    ids.toReversed()
  )
  assert.isNull(nextCursor)
  await here.close()
})
