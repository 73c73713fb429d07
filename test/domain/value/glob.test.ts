import { assert, it } from "vitest"
import { matches } from "../../../domain/value/Glob.ts"

it.each([
  ["**/b.ts", "b.ts", true],
  ["**/b.ts", "a/b.ts", true],
  ["**/b.ts", "a/x/b.ts", true],
  ["**/b.ts", "ab.ts", false],
  ["**/b.ts", "a/xb.ts", false],
  ["a/**/b", "a/b", true],
  ["a/**/b", "a/x/y/b", true],
  ["a/**/b", "a/xb", false],
  ["a/**", "a/", true],
  ["a/**", "a", false],
  ["a?c", "abc", true],
  ["a?c", "a/c", false],
  ["a?c", "ac", false],
  ["*", "a", true],
  ["*", "a/b", false],
  ["*", "", true],
  ["a*c", "abbc", true],
  ["a*c", "ab/c", false],
  ["a.c", "abc", false],
  ["", "", true],
  ["", "a", false],
  ["a", "", false],
  ["**", "a/b/c", true],
  ["*?", "", false]
])("the glob '%s' matches '%s': %s", (glob, path, expected) => assert.strictEqual(matches(glob, path), expected))
