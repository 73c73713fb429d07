import { existsSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { assert, it } from "vitest"
import { notOn, rows } from "../support/Turns.ts"

const root = resolve(import.meta.dirname, "../..")

/** The files of tests that a file is made of. */
const partsOf = (path: string, found = new Set<string>()): ReadonlySet<string> => {
  if (!found.has(path) && existsSync(path) && path.startsWith(join(root, "test"))) {
    found.add(path)
    for (const [, name = ""] of readFileSync(path, "utf8").matchAll(/from "(\.[^"]+)"/g))
      partsOf(join(dirname(path), name), found)
  }
  return found
}

it("each file that takes turns exists, and has its turn within four days", () => {
  const files = rows.flat()
  assert.deepStrictEqual(
    files.filter((file) => !existsSync(join(root, file))),
    []
  )
  const left = [0, 1, 2, 3].map(notOn).reduce((one, other) => one.filter((file) => other.includes(file)))
  assert.deepStrictEqual(left, [])
})

// Two rotations of three days would always meet at the same share.
it("no file that takes turns draws a share of its tables by day", () =>
  assert.deepStrictEqual(
    rows.flat().filter((file) => partsOf(join(root, file)).has(join(root, "test/support/Share.ts"))),
    []
  ))
