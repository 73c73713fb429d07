import { readFileSync } from "node:fs"
import { join } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { defineConfig } from "vitest/config"
import { cache, type Domain, root } from "./Mutants.ts"

const { files } = JSON.parse(readFileSync(join(cache, "domain.json"), "utf8")) as Domain

const judge = join(root, "test/mutate/judge.ts")

class JudgeLast extends BaseSequencer {
  override sort(specifications: Array<TestSpecification>) {
    const rank = ({ moduleId }: TestSpecification) => (moduleId === judge ? 1 : 0)
    return Promise.resolve(
      specifications.toSorted((one, other) => rank(one) - rank(other) || (one.moduleId < other.moduleId ? -1 : 1))
    )
  }
}

/** The pure tests of the domain, which need no database, then the mutants, all in one process. */
export default defineConfig({
  root,
  plugins: [
    {
      name: "mutants",
      enforce: "pre",
      load: (id) => (id.startsWith(`${root}/`) ? (files[id.slice(root.length + 1)] ?? null) : null)
    }
  ],
  test: {
    include: ["test/domain/**/*.test.ts", "test/mutate/judge.ts"],
    setupFiles: ["test/support/effects.ts", "test/mutate/record.ts"],
    provide: { full: false, seed: 7, day: 0, prepared: "", postgres: { host: "", port: 0, username: "" } },
    testTimeout: 300_000,
    pool: "forks",
    poolOptions: { forks: { singleFork: true } },
    isolate: false,
    sequence: { sequencer: JudgeLast }
  }
})
