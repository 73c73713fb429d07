import { assert, it } from "vitest"
import { acme, asAdmin, asMember, open, payments } from "./Acme.ts"

it("a story goes from a wish to done by verbs only, and the log tells it all", async () => {
  const at = await open()
  await at.json(
    "team",
    "create",
    ...asAdmin,
    "--slug",
    "web",
    "--name",
    "Web",
    "--key-prefix",
    "WEB",
    "--preset",
    "guarded"
  )
  await at.json("policy", "set", ...asAdmin, "--team", "web", "--decision-hours", "24")
  const wish = ["--kind", "maintenance_proposal", "--title", "Remember the address", "--body", "People type it again"]
  const proposal = await at.json("decision", "raise", ...asMember, "--team", "web", ...wish)
  const accept = ["--decision", proposal.key, "--option", "accept_proposal"]
  const { effects } = await at.json("decision", "answer", ...asMember, ...accept)
  const story = ["--story", effects[0].ref.id]
  assert.strictEqual((await at.refused("story", "approve", ...asMember, ...story)).code, "not_ready")
  const rest = ["--criterion", "It is filled in", "--demonstrate", "Buy twice", "--size", "l"]
  assert.strictEqual((await at.json("story", "edit", ...asMember, ...story, ...rest)).readinessScore, 100)
  await at.json("story", "approve", ...asMember, ...story)

  const { run: key } = await at.json("run", "start", ...asMember, ...story)
  const run = ["--run", key]
  const report = (...words: ReadonlyArray<string>) => at.json("run", "report", ...acme, ...run, ...words)
  const answer = (decision: string, option: string, ...words: ReadonlyArray<string>) =>
    at.json("decision", "answer", ...asMember, "--decision", decision, "--option", option, ...words)

  await at.json("run", "lease", ...acme, "--team", "web")
  const [plan] = (await report("--cost", "30", "--plan", "1. Keep it 2. Offer it")).raised
  assert.deepInclude(await answer(plan, "approve_plan"), { status: "resolved" })
  const [question] = (await report("--question", "Per device or per person?")).raised
  await answer(question, "answer", "--note", "Per person")
  const [stop] = (await report("--cost", "500")).raised
  await answer(stop, "raise_budget")
  await report("--stage", "verifying", "--pull-request", "https://github.com/acme/web/pull/12")
  const [merge] = (await report("--verification", "passed", "--reason", "14 of 14")).raised
  const merged = await answer(merge, "merge")
  assert.deepInclude(merged.effects[0], { type: "pull_request_merged", status: "queued" })
  await report("--merged")
  const finished = await at.json("run", "finish", ...acme, ...run)
  assert.deepInclude(finished, { status: "succeeded", stage: "done", costCents: 500, budgetCents: 1000, attempts: 1 })
  assert.strictEqual(finished.story.column, "done")
  assert.deepStrictEqual(
    finished.inputs.map(({ note }: { readonly note: string }) => note),
    ["Per person"]
  )
  const jobs = await at.json("job", "list", ...acme)
  assert.deepStrictEqual(
    jobs.map(({ kind }: { readonly kind: string }) => kind),
    ["merge_pull_request", "tell_agent", "write_story"]
  )

  const told = (await at.audit())
    .filter(({ team }) => team === "web")
    .map(({ actor, event }) => `${actor.type} ${event}`)
  const reported = ["service run_state_changed", "service decision_raised"]
  const answered = ["human decision_resolved", "human run_state_changed"]
  assert.deepStrictEqual(told, [
    "human team_created",
    "human policy_changed",
    "human decision_raised",
    "human decision_resolved",
    "human story_moved",
    "human story_changed",
    "human story_changed",
    "human run_state_changed",
    "human story_moved",
    "service run_state_changed",
    ...reported,
    ...answered,
    ...reported,
    ...answered,
    ...reported,
    ...answered,
    "service run_state_changed",
    "service run_state_changed",
    "service story_moved",
    "service decision_raised",
    ...answered,
    "service run_state_changed",
    "service story_moved",
    "service run_state_changed"
  ])
  assert.deepInclude(await at.json("audit", "verify", ...asAdmin), { intact: true })
  assert.deepStrictEqual(await at.json("decision", "list", ...asMember, ...payments), [])
  await at.close()
})
