import { Effect } from "effect"
import { assert, beforeAll, describe, it } from "vitest"
import * as Services from "../../application/oncall/Services.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Stories from "../../application/work/Stories.ts"
import * as Teams from "../../application/work/Teams.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import type { Email } from "../../domain/workspace/Member.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { faults, wide } from "./Accessible.ts"
import { visitors } from "./Visitors.ts"

const word = "x".repeat(200)
const title = "May it rewrite `src/very/deep/path/**/that/never/ends.ts` and all below it? "
  .repeat(4)
  .slice(0, 300)
  .trim()
const label = "Accept it and file a story with all of its criteria, then wait for everybody who asked for it. ".repeat(
  2
)
const body = `${word}\n\n\`\`\`\n${word}${word}\n\`\`\`\n\n| a | b | c |\n|---|---|---|\n| ${word} | ${word} | ${word} |`

describe("long texts and empty pages", () => {
  const { stage, visit } = visitors()
  let decision: string
  let incident: string
  beforeAll(async () => {
    const { person, run, source } = stage()
    decision = await run(
      Effect.gen(function* () {
        const options = (["accept_proposal", "decline_proposal", "accept_proposal", "decline_proposal"] as const).map(
          (action, index) => ({ id: `o${index}`, label: index === 1 ? word : label.slice(0, 200), action })
        )
        const raised = yield* Decisions.raise(
          yield* person("owner@demo.test"),
          { team: "platform" as TeamSlug },
          {
            kind: "maintenance_proposal",
            authority: "member",
            title,
            body,
            recommendation: "o0",
            options,
            subject: title
          }
        )
        return (JSON.parse(raised) as { readonly key: string }).key
      })
    )
    const send = await source("a-source-with-a-very-long-name", ["event-bus"])
    const about = { service: "event-bus", environment: word.slice(0, 100), severity: "high" }
    await send({ ...about, title, fingerprint: "long", description: word, labels: { [word.slice(0, 60)]: word } })
    incident = (await stage().incident(title)).key
    const owner = { email: "owner@empty.test" as Email, name: "Eva Empty" }
    await run(Workspaces.create(bySystem, { slug: "empty" as WorkspaceSlug, name: "Empty", owner }))
  })

  it("stay within the page, before and after the answer", async () => {
    const page = await visit({ as: "owner@demo.test" })
    for (const path of [`decisions/${decision}`, "decisions", `incidents/${incident}`, "incidents"]) {
      await page.goto(`/demo/${path}`)
      assert.deepStrictEqual(await faults(page), [], path)
    }
    await stage().answer("member@demo.test", decision, "o1", word.repeat(5))
    await page.goto(`/demo/decisions/${decision}`)
    assert.deepStrictEqual(await faults(page), [])
    await page.goto("/demo/decisions?view=answered")
    assert.deepStrictEqual(await faults(page), [])
  })

  it("names without a space stay within the page", async () => {
    const name = "x".repeat(190)
    const team = "long" as TeamSlug
    const { key, service } = await stage().run(
      Effect.gen(function* () {
        const by = yield* stage().person("owner@demo.test")
        yield* Teams.create(by, { slug: team, name, keyPrefix: "LONG", description: name, preset: "standard" })
        const { id } = yield* Services.create(by, { team, name: "z".repeat(60) })
        const draft = { team, title: name, column: "backlog", draft: true, description: name } as const
        return { key: (yield* Stories.create(by, draft)).key, service: id }
      })
    )
    const page = await visit({ as: "owner@demo.test" })
    const paths = `decisions teams teams/long teams/long/settings teams/long/pause teams/long/new-story
      teams/long/columns/backlog settings/policy settings/policy/long settings/policy/long/delete settings/places
      services services/${service} stories/${key} stories/${key}/edit stories/${key}/reject`.split(/\s+/)
    const found: Array<string> = []
    for (const path of paths) {
      await page.goto(`/demo/${path}`)
      for (const fault of await wide(page)) found.push(`${path}: ${fault}`)
    }
    assert.deepStrictEqual(found, [])
  })

  it("code that is wider than the page is reached by keyboard", async () => {
    const page = await visit({ as: "owner@demo.test" })
    await page.goto(`/demo/decisions/${decision}`)
    for (const name of ["Code", "Table"]) {
      const region = page.getByRole("region", { name })
      await region.focus()
      assert.isTrue(await region.evaluate((element) => element === document.activeElement))
    }
  })

  it.each(["decisions", "decisions?view=answered", "incidents", "notifications", "settings/api", "settings/members"])(
    "an empty workspace has %s",
    async (path) => {
      const page = await visit({ as: "owner@empty.test", workspace: "empty" })
      await page.goto(`/empty/${path}`)
      assert.deepStrictEqual(await faults(page), [])
    }
  )
})
