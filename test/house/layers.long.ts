import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { long } from "../support/Long.ts"

const root = resolve(import.meta.dirname, "../..")

/** One violation per rule, each in an otherwise valid tree. */
const planted: ReadonlyArray<readonly [rule: string, file: string, text: string]> = [
  ["domain-is-pure", "domain/Clock.ts", `import { readFileSync } from "node:fs"\nexport const x = readFileSync`],
  ["domain-is-pure", "domain/Sql.ts", `import { SqlClient } from "@effect/sql"\nexport const x = SqlClient`],
  ["domain-is-pure", "domain/Up.ts", `import type { Use } from "../application/Use.ts"\nexport type X = Use`],
  [
    "application-knows-domain-only",
    "application/Http.ts",
    `import { HttpApi } from "@effect/platform"\nexport const x = HttpApi`
  ],
  [
    "application-knows-domain-only",
    "application/Out.ts",
    `import { store } from "../adapters/one/Store.ts"\nexport const x = store`
  ],
  ["adapters-do-not-meet", "adapters/two/Meet.ts", `import { store } from "../one/Store.ts"\nexport const x = store`],
  [
    "definitions-know-no-handler",
    "adapters/api/Handler.ts",
    `import { store } from "../one/Store.ts"\nexport const x = store`
  ],
  [
    "rooms-of-the-domain-lean-one-way",
    "domain/work/Late.ts",
    `import { night } from "../oncall/Night.ts"\nexport const x = night`
  ],
  ["workspace-knows-no-work", "domain/workspace/Busy.ts", `import { day } from "../work/Day.ts"\nexport const x = day`],
  [
    "values-know-no-workspace",
    "domain/value/Own.ts",
    `import { own } from "../workspace/Own.ts"\nexport const x = own`
  ],
  ["only-main-wires", "adapters/one/Main.ts", `import "../../main.ts"\nexport const x = 1`],
  ["no-circular", "domain/Ring.ts", `import { y } from "./Chain.ts"\nexport const x: number = y`],
  ["no-unresolved", "domain/Lost.ts", `import { y } from "./Nowhere.ts"\nexport const x: number = y`]
]

const sound: Readonly<Record<string, string>> = {
  "main.ts": `import "./adapters/one/Store.ts"\n`,
  "domain/Thing.ts": `import { Effect } from "effect"\nexport const thing = Effect.succeed(1)\n`,
  "domain/Chain.ts": `import { x } from "./Ring.ts"\nexport const y: number = x\n`,
  "domain/oncall/Night.ts": "export const night = 1\n",
  "domain/work/Day.ts": "export const day = 1\n",
  "domain/workspace/Own.ts": "export const own = 1\n",
  "application/Use.ts": `import { thing } from "../domain/Thing.ts"\nexport type Use = typeof thing\n`,
  "adapters/one/Store.ts": `import type { Use } from "../../application/Use.ts"\nexport const store: Use | null = null\n`
}

const cruise = (folder: string) =>
  new Promise<{ readonly code: number; readonly output: string }>((done) =>
    execFile(
      join(root, "node_modules/.bin/depcruise"),
      ["--config", ".dependency-cruiser.cjs", "main.ts", "domain", "application", "adapters"],
      { cwd: folder },
      (error, stdout) => done({ code: typeof error?.code === "number" ? error.code : 0, output: stdout })
    )
  )

describe("the layer rules", () => {
  let folder: string
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatehouse-layers-"))
    for (const file of [".dependency-cruiser.cjs", "tsconfig.json", "package.json"])
      await cp(join(root, file), join(folder, file))
    await symlink(join(root, "node_modules"), join(folder, "node_modules"))
    for (const [file, text] of Object.entries(sound)) await write(file, text)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  long(() => {
    it("pass a house in order", async () => {
      await write("domain/Ring.ts", "export const x = 1\n")
      const { code, output } = await cruise(folder)
      assert.strictEqual(code, 0, output)
    })
  })

  it("fire on every planted violation, and on nothing else", async () => {
    for (const [, file, text] of planted) await write(file, text)
    const { code, output } = await cruise(folder)
    assert.notStrictEqual(code, 0)
    for (const [rule, file] of planted)
      assert.match(output, new RegExp(`${rule}: (domain/Chain.ts →\\s+)?${file}`), `${rule} is silent on ${file}`)
    assert.notMatch(output, /: (domain\/Thing|application\/Use|adapters\/one\/Store)\.ts →/)
  })
})
