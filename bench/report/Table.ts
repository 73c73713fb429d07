/** A table that reads well both in a terminal and as Markdown; all columns but the first hold numbers by default. */
export const table = (
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  texts: ReadonlyArray<number> = [0]
): ReadonlyArray<string> => {
  const widths = heads.map((head, column) => Math.max(3, head.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const isText = (column: number) => texts.includes(column)
  const line = (cells: ReadonlyArray<string>) =>
    `| ${widths.map((width, column) => (isText(column) ? (cells[column] ?? "").padEnd(width) : (cells[column] ?? "").padStart(width))).join(" | ")} |`
  const rule = `|${widths.map((width, column) => (isText(column) ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`
  return [line(heads), rule, ...rows.map(line)]
}

export const count = (value: number) => value.toLocaleString("en")

/** Three digits are enough; thousands are separated. */
export const digits = (value: number): string => {
  if (!Number.isFinite(value)) return "–"
  const size = Math.abs(value)
  if (size >= 100) return count(Math.round(value))
  return value.toFixed(size >= 10 ? 1 : 2)
}
