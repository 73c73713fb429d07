import { existsSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { folderFor } from "../../adapters/cli/live/RunnerChild.ts"
import * as Authorization from "../../application/workspace/Authorization.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import type { DecisionKey } from "../../domain/work/Decision.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import { station, type Station } from "../support/Station.ts"
import type { Program } from "../support/Process.ts"
import { long } from "../support/Long.ts"

const patience = 180_000

describe("demo --live", () => {
  let at: Station
  let service: Program
  let url: string
  beforeAll(async () => {
    at = await station()
    const served = await at.serve({ DEMO: "off" })
    service = served.service
    url = served.url
  }, patience)
  afterAll(async () => {
    service?.signal("SIGTERM")
    await at?.close()
  }, patience)

  const demo = (dataDir: string, address: string, ...words: ReadonlyArray<string>) =>
    at.launch(process.execPath, ["dist/main.js", "demo", "--live", ...words], {
      ...at.settings,
      PUBLIC_URL: address,
      DATA_DIR: dataDir
    })

  it("says how to start the service where none answers", async () => {
    const { code, err } = await demo(at.folder(), "http://127.0.0.1:9").ended()
    assert.strictEqual(code, 1)
    assert.match(err, /^The service does not answer at http:\/\/127\.0\.0\.1:9\. Start it .* with 'npm start'/)
    assert.notInclude(err, "--help")
  })

  long(() => {
    it(
      "takes recommendations with --yes, and leaves no folder of its runner",
      async () => {
        const data = at.folder()
        const program = demo(data, url, "--yes")
        await program.says(/runner: Online/)
        assert.isTrue(existsSync(folderFor(data)))
        const { code, err, out } = await program.ended(120)
        assert.strictEqual(code, 0, `${out}${err}`)
        assert.match(out, /1\. .+ \(approve_plan\), recommended/)
        assert.match(out, /Nobody is asked, since --yes takes the recommendation\./)
        assert.match(out, /dec-\w+: answered .+ \(approve_plan\) through app/)
        assert.match(out, /has succeeded\. The main branch:/)
        assert.notInclude(out, "Answer")
        assert.isFalse(existsSync(folderFor(data)))
        assert.notStrictEqual(folderFor(data), folderFor(at.folder()))
      },
      patience
    )
  })

  long(() => {
    it(
      "names every way to answer, and goes on after an answer from elsewhere",
      async () => {
        const program = demo(at.folder(), url)
        const [, key = "", option = ""] = await program.says(
          /decision answer --workspace demo .* --decision (\S+) --option (\S+)/
        )
        await program.says(new RegExp(`in the app: ${url}/demo/decisions/${key}`))
        await program.says(new RegExp(`POST ${url}/v1/decisions/${key}/resolve \\{"optionId":"${option}"\\}`))
        const person = await at.run(Authorization.member("demo" as WorkspaceSlug, "owner@demo.test", "api"))
        const answer = { decision: key as DecisionKey, optionId: option, note: null, idempotency: null }
        await at.run(Decisions.answer(person, answer))
        const { code, err, out } = await program.ended(120)
        assert.strictEqual(code, 0, `${out}${err}`)
        assert.include(out, `${key}: answered`)
      },
      patience
    )
  })
})
