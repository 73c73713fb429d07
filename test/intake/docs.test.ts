import { readFile } from "node:fs/promises"
import { assert, expect, it } from "vitest"
import { PostingKind, toolNames } from "../../domain/oncall/SignalSource.ts"
import { Severity } from "../../domain/value/Severity.ts"
import * as Fixtures from "./Fixtures.ts"

const page = new URL("../../docs/alerts.md", import.meta.url)

/** Vitest shows it when a table differs from the fixtures. */
const howToUpdate = "its cells are in test/intake/fixtures/*/docs.json; 'npx vitest run test/intake/docs -u' updates it"

type Cells = ReadonlyArray<string>

/** The page with other rows in the table of that header. */
const withRows = (text: string, header: string, rows: (current: ReadonlyArray<Cells>) => ReadonlyArray<Cells>) => {
  const lines = text.split("\n")
  const first = lines.indexOf(header) + 2
  assert.isAbove(first, 2, `docs/alerts.md has no table ${header}`)
  const end = lines.findIndex((line, index) => index >= first && !line.startsWith("|"))
  const current = lines.slice(first, end).map((line) => line.slice(2, -2).split(" | "))
  const next = rows(current).map((cells) => `| ${cells.join(" | ")} |`)
  return [...lines.slice(0, first), ...next, ...lines.slice(end)].join("\n")
}

const byKind = (cells: (docs: ReturnType<typeof Fixtures.docs>) => Cells) => () =>
  PostingKind.literals.map((kind) => [`\`${kind}\``, ...cells(Fixtures.docs(kind))])

const ownWords = (severity: Severity) =>
  PostingKind.literals.flatMap((kind) => {
    const words = Fixtures.docs(kind).severities?.[severity]
    return words === undefined ? [] : [`${toolNames[kind]}: ${words}`]
  })

it("the tables of the docs have every tool", async () => {
  let text = await readFile(page, "utf8")
  text = withRows(
    text,
    "| `--kind` | Tool | Proof |",
    byKind(({ proof, tool }) => [tool, proof])
  )
  text = withRows(
    text,
    "| Kind | Retries after 503 | Notes |",
    byKind(({ notes, retries }) => [retries, notes])
  )
  text = withRows(
    text,
    "| Kind | Service | Environment |",
    byKind(({ environment, service }) => [service, environment])
  )
  text = withRows(text, "| Severity | Words of all tools | Words of single tools |", (current) =>
    Severity.literals.map((severity, index) => {
      const [name = "", shared = ""] = current[index] ?? []
      return [name, shared, ownWords(severity).join("; ")]
    })
  )
  await expect(text).toMatchFileSnapshot(page.pathname, howToUpdate)
})
