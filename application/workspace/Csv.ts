/** Prefixes a cell that a spreadsheet would evaluate with an apostrophe, which makes it text. */
const neutral = (text: string) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

const cell = (value: string | null) => {
  const text = neutral(value ?? "")
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** RFC 4180: lines end in CRLF, quotes are doubled. */
export const file = (rows: ReadonlyArray<ReadonlyArray<string | null>>): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("")
