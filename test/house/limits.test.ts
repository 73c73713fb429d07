import { readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { assert, it } from "vitest"

const root = resolve(import.meta.dirname, "../..")
const filesBelow = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".d.ts") && !name.includes("node_modules/"))
    .map((name) => join(folder, name))

const sources = ["domain", "application", "adapters"].flatMap(filesBelow)
const everything = [...sources, ...["test", "bench"].flatMap(filesBelow)]
const textOf = (path: string) => readFileSync(join(root, path), "utf8")

const counted = (words: ReadonlyArray<string>) => {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
}

it("no file has more than 300 lines", () =>
  assert.deepStrictEqual(
    everything.filter((path) => textOf(path).trimEnd().split("\n").length > 300),
    []
  ))

it("no folder has more than 26 source files", () =>
  assert.deepStrictEqual(
    counted(sources.map((path) => dirname(path))).filter(([, count]) => count > 26),
    []
  ))

it.each(["domain", "application", "adapters/postgres"])("%s has at most eight rooms", (floor) => {
  const rooms = readdirSync(join(root, floor), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  assert.isAtMost(rooms.length, 8, rooms.map(({ name }) => name).join(", "))
})

it("at most six file names occur twice", () => {
  const repeated = counted(sources.map((path) => basename(path))).filter(([, count]) => count > 1)
  assert.isAtMost(repeated.length, 6, JSON.stringify(repeated))
})

it("no doc comment begins with a question word", () =>
  assert.deepStrictEqual(
    everything.filter((path) => /\/\*\*\s+(?:\*\s+)?(?:What|Whoever|Whatever|Those|Whether)\b/.test(textOf(path))),
    []
  ))

it("sources rarely say told or whoever", () => {
  const lines = sources.flatMap((path) => textOf(path).split("\n"))
  assert.isAtMost(lines.filter((line) => /\b(?:told|whoever)\b/i.test(line)).length, 40)
})
