/** Puts a value on one line: what people and alerting tools wrote could look like further rows. */
export const flat = (value: string): string => value.replace(/[\n\r\v\f\u0085\u2028\u2029]+/g, " ")

/** The cells of one row that is below no other. */
export const row = (cells: ReadonlyArray<string>): string => cells.map(flat).join("  ")

/** Rows with their cells below each other; the last cell of a row is as long as it is. */
export const columns = (given: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const rows = given.map((cells) => cells.map(flat))
  const widths: Array<number> = []
  for (const row of rows)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length)
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join("  ")
      .trimEnd()
  )
}

/** `2026-11-16 12:21 UTC`; the JSON has the exact time. */
export const time = (timestamp: string | null, missing = "–"): string =>
  timestamp === null ? missing : `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`

/** `1 try`, `2 tries`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** Euro cents as people write them. */
export const cents = (amount: number | null): string => (amount === null ? "none" : `${(amount / 100).toFixed(2)} EUR`)

/** A heading with its lines, indented; nothing without lines. */
export const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", `${title}:`, ...lines.map((line) => `  ${line.replaceAll("\n", "\n  ")}`)]

/** Text of several lines, each of them a line. */
export const paragraphs = (text: string | null): ReadonlyArray<string> =>
  text === null || text.trim() === "" ? [] : text.trimEnd().split("\n")
