import { assert, it } from "vitest"
import { presented } from "../../application/codehost/PullRequestPage.ts"
import type { RunView } from "../../domain/work/Run.ts"

const run = {
  key: "run-aaaa",
  attempts: 2,
  story: { key: "PAY-1", title: "@everyone closes #1" },
  evidence: {
    gates: [{ name: "test | `x`", status: "failed", summary: "exit code 1\n@ana", url: null, completedAt: null }],
    acceptance: [],
    demonstrate: [],
    diff: { files: 2, additions: 10, deletions: 3, commit: null, paths: [] }
  }
} as unknown as RunView

it("a pull request shows its run, summary and gates, and texts of agents mention nobody and close nothing", () => {
  const page = presented(run, { isVerified: false, summary: "Done.\n```\nfixes #7 @ana", url: "https://gate.test/r" })
  assert.strictEqual(
    page.body,
    [
      "**PAY-1**, [run-aaaa](https://gate.test/r), attempt 2",
      "````\nDone.\n```\nfixes #7 @ana\n````",
      "| | Gate | Result |\n|---|---|---|\n| ❌ | `test x` | `exit code 1 @ana` |",
      "2 files, +10 −3"
    ].join("\n\n")
  )
  assert.strictEqual(page.summary, "Done. ``` fixes #7 @ana")
  const bare = presented({ ...run, evidence: null }, { isVerified: true, summary: " ", url: "https://gate.test/r" })
  assert.strictEqual(bare.body, "**PAY-1**, [run-aaaa](https://gate.test/r), attempt 2")
})
