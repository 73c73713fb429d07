import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { turns } from "../support/Share.ts"
import { type Acme, acme, asAdmin, asMember, asOwner, open } from "./Acme.ts"

/** Shared, since no test here changes it. */
let at: Acme
beforeAll(async () => {
  at = await open()
  at.pipe("https://chat.example.com/hook")
})
afterAll(() => at.close())

interface Least {
  readonly needs: ReadonlyArray<string>
  /** Optional words. */
  readonly more?: ReadonlyArray<string>
}

/** Each verb with its minimal options, which name missing objects. */
const verbs: Record<string, Least> = {
  "team create": { needs: ["--slug", "web", "--name", "Web", "--key-prefix", "WEB"] },
  "team list": { needs: [] },
  "team show": { needs: ["--team", "nobody"] },
  "team set": { needs: ["--team", "nobody"], more: ["--repository", "https://git.acme.test/pay"] },
  "team pause": { needs: ["--team", "nobody"] },
  "team resume": { needs: ["--team", "nobody"] },
  "team delete": { needs: ["--team", "nobody", "--confirm", "nobody"] },
  "policy show": { needs: ["--team", "nobody"] },
  "policy set": { needs: ["--team", "nobody"], more: ["--preset", "trial"] },
  "story create": { needs: ["--team", "nobody", "--title", "Wish"] },
  "story list": { needs: ["--team", "nobody"] },
  "story show": { needs: ["--story", "PAY-99"] },
  "story move": { needs: ["--story", "PAY-99", "--column", "ready"] },
  "story edit": { needs: ["--story", "PAY-99"], more: ["--size", "s"] },
  "story approve": { needs: ["--story", "PAY-99"] },
  "story reject": { needs: ["--story", "PAY-99"] },
  "run start": { needs: ["--story", "PAY-99"] },
  "run stop": { needs: ["--run", "run-zzzz"], more: ["--yes"] },
  "run retry": { needs: ["--run", "run-zzzz"] },
  "run list": { needs: [], more: ["--team", "nobody"] },
  "run show": { needs: ["--run", "run-zzzz"] },
  "run lease": { needs: [], more: ["--team", "nobody"] },
  "run report": { needs: ["--run", "run-zzzz"], more: ["--merged"] },
  "run finish": { needs: ["--run", "run-zzzz"] },
  "tracker check": { needs: ["--team", "nobody", "--connection", "github", "--project", "acme/pay"] },
  "tracker bind": { needs: ["--team", "nobody", "--connection", "github", "--project", "acme/pay"] },
  "tracker show": { needs: ["--team", "nobody"] },
  "tracker unbind": { needs: ["--team", "nobody"] },
  "connection create": { needs: ["--name", "github", "--kind", "github"], more: ["--token-stdin"] },
  "connection list": { needs: [] },
  "connection show": { needs: ["--name", "none"] },
  "connection test": { needs: ["--name", "none"] },
  "connection renew": { needs: ["--name", "none"], more: ["--token-stdin"] },
  "connection remove": { needs: ["--name", "none"] },
  "decision raise": { needs: ["--kind", "clarification", "--title", "Which?"], more: ["--run", "run-zzzz"] },
  "decision answer": { needs: ["--decision", "dec-zzzz", "--option", "answer"] },
  "decision show": { needs: ["--decision", "dec-zzzz"] },
  "decision list": { needs: [], more: ["--team", "nobody"] },
  "team place add": { needs: ["--team", "nobody", "--name", "chat"], more: ["--url-stdin"] },
  "team place remove": { needs: ["--team", "nobody", "--name", "chat"] },
  "team place list": { needs: ["--team", "nobody"] },
  "service create": { needs: ["--team", "nobody", "--name", "checkout"] },
  "service set": { needs: ["--name", "none", "--settings", '{"observeOnly":true}'] },
  "service show": { needs: ["--name", "none"] },
  "service list": { needs: [] },
  "service delete": { needs: ["--name", "none", "--confirm", "none"] },
  "source create": { needs: ["--name", "prom", "--kind", "alertmanager", "--services", "none"] },
  "source set": { needs: ["--name", "none"], more: ["--timestamp-required", "on"] },
  "source secret": { needs: ["--name", "none"], more: ["--secret-stdin"] },
  "source credentials": { needs: ["--name", "none"], more: ["--stdin"] },
  "source rotate": { needs: ["--name", "none"] },
  "source test": { needs: ["--name", "none"] },
  "source pause": { needs: ["--name", "none"] },
  "source resume": { needs: ["--name", "none"] },
  "source delete": { needs: ["--name", "none", "--confirm", "none"] },
  "source list": { needs: [] },
  "source show": { needs: ["--name", "none"] },
  "delivery list": { needs: ["--source", "none"] },
  "source deliveries": { needs: ["--name", "none"] },
  "source replay": { needs: ["--delivery", "6f1c2d1a-3b4c-4d5e-8f60-718293a4b5c6"] },
  "incident list": { needs: [] },
  "incident show": { needs: ["--incident", "inc-zzzz"] },
  "incident acknowledge": { needs: ["--incident", "inc-zzzz"] },
  "incident resolve": { needs: ["--incident", "inc-zzzz"] },
  "alert list": { needs: [], more: ["--incident", "inc-zzzz"] }
}

const wordsOf = (verb: string) => [...(verbs[verb]?.needs ?? []), ...(verbs[verb]?.more ?? [])]
const every = Object.keys(verbs)

const needed = Object.entries(verbs).flatMap(([verb, { needs }]) =>
  ["--workspace", ...needs.filter((word) => word.startsWith("--"))].map((option) => [verb, option] as const)
)

const without = (words: ReadonlyArray<string>, option: string) => words.toSpliced(words.indexOf(option), 2)

it.each(turns(needed))("%s without %s names what is missing", async (verb, option) => {
  const words = without([...asMember, ...wordsOf(verb)], option)
  const { code, message } = await at.refused(...verb.split(" "), ...words)
  assert.strictEqual(code, "invalid_usage")
  assert.include(message, `'${option}'`)
})

const personal = every.filter(
  (verb) => !["team set", "run lease", "run report", "run finish", "run show"].includes(verb)
)

it.each(turns(personal))("%s without --as names what is missing", async (verb) => {
  const { code, message } = await at.refused(...verb.split(" "), ...acme, ...wordsOf(verb))
  assert.deepStrictEqual([code, message.includes("'--as'")], ["invalid_usage", true])
})

const shapes: Record<string, string> = {
  "--team": "a team slug: lowercase words joined by hyphens",
  "--story": "a story key such as PAY-12",
  "--run": "a run key such as run-7f3k",
  "--decision": "a decision key such as dec-4m2q",
  "--incident": "an incident key such as inc-4m2q",
  "--delivery": "the id of a delivery"
}

const keyed = every.flatMap((verb) =>
  Object.keys(shapes).flatMap((option) => (wordsOf(verb).includes(option) ? [[verb, option] as const] : []))
)

it.each(turns(keyed))("%s with a malformed %s says what it looks like", async (verb, option) => {
  const words = wordsOf(verb)
  const bad = words.with(words.indexOf(option) + 1, "no such thing")
  const refusal = await at.refused(...verb.split(" "), ...asMember, ...bad)
  assert.deepStrictEqual(refusal, {
    code: "invalid_usage",
    message: `${option} must be ${shapes[option]}; got 'no such thing'`
  })
})

const unknown: Record<string, readonly [string, string]> = {
  "--team": ["team_not_found", "There is no team 'nobody'"],
  "--story": ["story_not_found", "There is no story 'PAY-99'"],
  "--run": ["run_not_found", "There is no run 'run-zzzz'"],
  "--decision": ["decision_not_found", "There is no decision 'dec-zzzz'"],
  "--incident": ["incident_not_found", "There is no incident 'inc-zzzz'"],
  "--delivery": ["delivery_not_found", "There is no delivery '6f1c2d1a-3b4c-4d5e-8f60-718293a4b5c6'"]
}

it.each(turns(keyed))("%s with a %s nobody has says so", async (verb, option) => {
  const { code, message } = await at.refused(...verb.split(" "), ...asOwner, ...wordsOf(verb))
  const [expected = "", words = ""] = unknown[option] ?? []
  assert.deepStrictEqual([code, message.startsWith(words)], [expected, true])
})

it.each(turns(every.filter((verb) => wordsOf(verb).includes("none"))))(
  "%s of a name nobody gave says so",
  async (verb) => {
    const { code, message } = await at.refused(...verb.split(" "), ...asOwner, ...wordsOf(verb))
    const isService = verb.startsWith("service") || verb === "source create"
    const [expected, noun] = verb.startsWith("connection")
      ? ["connection_not_found", "connection"]
      : isService
        ? ["service_unknown", "service"]
        : ["source_unknown", "signal source"]
    assert.deepStrictEqual(
      [code, message.startsWith(`There is no ${noun} 'none' in this workspace;`)],
      [expected, true]
    )
  }
)

it.each(turns(every))("%s by nobody of the workspace, or in none, says so", async (verb) => {
  const words = wordsOf(verb)
  const stranger = await at.refused(...verb.split(" "), ...asMember.with(3, "who@acme.test"), ...words)
  assert.deepStrictEqual([stranger.code, stranger.message.includes("'who@acme.test'")], ["member_not_found", true])
  const nowhere = await at.refused(...verb.split(" "), ...asMember.with(1, "none"), ...words)
  assert.deepStrictEqual([nowhere.code, nowhere.message.includes("'none'")], ["workspace_not_found", true])
  const noAddress = await at.refused(...verb.split(" "), ...asMember.with(3, "member"), ...words)
  assert.strictEqual(noAddress.message, "--as must be an e-mail address; got 'member'")
})

describe("whoever lacks the role", () => {
  const ours = (words: ReadonlyArray<string>) => words.map((word) => (word === "nobody" ? "payments" : word))

  const denied: ReadonlyArray<readonly [verb: string, who: ReadonlyArray<string>, code: string]> = [
    ["team create", asMember, "admin_required"],
    ["team set", asMember, "admin_required"],
    ["team pause", asMember, "admin_required"],
    ["team resume", asMember, "admin_required"],
    ["policy set", asMember, "admin_required"],
    ["team place add", asMember, "admin_required"],
    ["team place remove", asMember, "admin_required"],
    ["connection create", asMember, "admin_required"],
    ["tracker check", asMember, "admin_required"],
    ["tracker bind", asMember, "admin_required"],
    ["tracker unbind", asMember, "admin_required"],
    ["connection test", asMember, "admin_required"],
    ["connection renew", asMember, "admin_required"],
    ["connection remove", asMember, "admin_required"],
    ["service create", asMember, "admin_required"],
    ["service set", asMember, "admin_required"],
    ["service delete", asMember, "admin_required"],
    ["source create", asMember, "admin_required"],
    ["source set", asMember, "admin_required"],
    ["source secret", asMember, "admin_required"],
    ["source credentials", asMember, "admin_required"],
    ["source rotate", asMember, "admin_required"],
    ["source test", asMember, "admin_required"],
    ["source pause", asMember, "admin_required"],
    ["source resume", asMember, "admin_required"],
    ["source delete", asMember, "admin_required"],
    ["source replay", asMember, "admin_required"],
    ["team delete", asMember, "owner_required"],
    ["team delete", asAdmin, "owner_required"]
  ]

  it.each(turns(denied))("is refused %s, as %j, and it is on record", async (verb, who, code) => {
    const before = await at.denials()
    const refusal = await at.refused(...verb.split(" "), ...who, ...ours(wordsOf(verb)))
    const role = who === asMember ? "member" : "admin"
    assert.strictEqual(refusal.code, code)
    assert.match(refusal.message, new RegExp(`your role is ${role}\\. Ask (one of them|an owner)\\.$`))
    const denial = ["access_denied", `A ${role}`, verb]
    assert.deepStrictEqual((await at.denials()).slice(before.length), [denial, denial])
  })

  it("has the roles above do it", async () => {
    const at = await open()
    for (const verb of ["team pause", "team resume", "policy set"])
      await at.json(...verb.split(" "), ...asAdmin, ...ours(wordsOf(verb)))
    await at.json("team", "delete", ...asOwner, ...ours(wordsOf("team delete")))
    assert.deepStrictEqual(await at.denials(), [])
    await at.close()
  })
})
