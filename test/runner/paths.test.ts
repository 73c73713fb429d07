import { assert, describe, it } from "@effect/vitest"
import { deniedIn, isAskable, type Site } from "../../adapters/runner/attempt/Site.ts"
import { raisedBy } from "../../domain/work/DecisionTriggers.ts"
import { presets } from "../../domain/workspace/Policy.ts"

const policy = { ...presets.autonomous, deniedPaths: ["infra/**"] }

/** The part of a site that says what its run may change. */
const allowing = (...subjects: ReadonlyArray<string | null>) =>
  ({
    grant: {
      policy,
      story: { key: "PAY-1" },
      exceptions: subjects.map((subject) => ({ kind: "policy_exception", subject }))
    }
  }) as unknown as Site

const subjectOf = (path: string) => raisedBy(policy, null, { type: "path_needed", path, reason: "" })?.subject ?? null

const long = `infra/${"a".repeat(500)}.tf`

describe("a denied path", () => {
  it.each(["infra/main.tf", "infra\\main.tf", "infra/ü.tf", `infra/${"a".repeat(494)}`])(
    "is allowed by the answer to the question about it: %s",
    (path) => {
      assert.deepStrictEqual(deniedIn(allowing(), [path], false), [path])
      assert.isTrue(isAskable(path))
      assert.deepStrictEqual(deniedIn(allowing(subjectOf(path)), [path], false), [])
    }
  )

  it.each([long, "infra/a\\..\\..\\b.tf", "infra\\\\main.tf", "infra\\.\\main.tf"])(
    "is never asked for: %s",
    (path) => {
      assert.isFalse(isAskable(path))
      assert.deepStrictEqual(deniedIn(allowing(subjectOf(path), "b.tf", "infra/main.tf", path), [path], false), [path])
    }
  )
})
