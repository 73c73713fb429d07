import { Effect } from "effect"
import { assert, it } from "vitest"
import * as Teams from "../../application/work/Teams.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { assertRefused } from "./answers.ts"
import type { Visit } from "./matrix.ts"
import { document, reads } from "./routes.ts"

export const deletedTeam = ({ get, run }: Pick<Visit, "get" | "run">) =>
  it("a deleted team is gone with all that it worked on, but not from the audit log", async () => {
    const { slug } = await run(Seed.workspace)
    await run(Seed.load(slug, document))
    const { value: token } = await run(Seed.token(slug))
    const gone = reads
      .filter(({ codes, remembers }) => codes?.[404] !== undefined && !remembers)
      .map(({ codes, missing, path }) => [missing ? path : `${path}?team=payments`, codes?.[404]?.[0] ?? ""] as const)
    for (const [path] of gone) assert.strictEqual((await get(path, { token })).status, 200, path)
    await run(Effect.flatMap(People.person(slug), (owner) => Teams.remove(owner, "payments" as TeamSlug, "payments")))
    for (const [path, code] of gone) assertRefused(await get(path, { token }), 404, code)
    for (const [path, left] of [
      ["/v1/teams", ["web"]],
      ["/v1/runs", ["run-bbbb"]],
      ["/v1/runs?story=PAY-1", []],
      ["/v1/decisions", ["dec-bbbb"]],
      ["/v1/decisions?run=run-aaaa", []]
    ] as const) {
      const { body } = await get(path, { token })
      assert.deepStrictEqual(
        body.data.map((one: { key?: string; slug?: string }) => one.key ?? one.slug),
        left,
        path
      )
    }
    const { body } = await get("/v1/audit?team=payments&event=team_deleted", { token })
    assert.strictEqual(body.data.length, 1)
  })
