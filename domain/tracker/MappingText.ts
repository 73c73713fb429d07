import { Either } from "effect"
import { ClassOfService, ColumnRole, Size } from "../work/Story.ts"
import type { Board, Mapping, Mark } from "./Mapping.ts"

/** A label, or a status with its kind in front: `status:Todo`. A label whose name looks like one is `label:status:todo`. */
export const markOf = (text: string): Mark => {
  const [, kind = "label", rest = text] = /^(label|status):(.+)$/s.exec(text) ?? []
  return { kind: kind === "status" ? "status" : "label", name: rest }
}

const typed = ({ kind, name }: Mark): string =>
  kind === "status" ? `status:${name}` : /^(label|status):/.test(name) ? `label:${name}` : name

/** OWNER/NUMBER, or OWNER/NUMBER:FIELD for a field other than Status. */
export const boardOf = (text: string): Board => {
  const [name = "", ...field] = text.split(":")
  return { name, field: field.join(":") || "Status" }
}

const typedBoard = ({ field, name }: Board): string => (field === "Status" ? name : `${name}:${field}`)

/** A mapping as a form has it: one `LABEL=WORD` in each line. */
export interface MappingText {
  readonly columns: string
  readonly sizes: string
  readonly classes: string
  /** Empty for all issues. */
  readonly only: string
  /** Empty for columns by labels. */
  readonly board: string
}

const printRecord = (of: Readonly<Record<string, string>>) =>
  Object.entries(of)
    .map(([name, word]) => `${name}=${word}`)
    .join("\n")

export const print = ({ board, classes, columns, only, sizes }: Mapping): MappingText => ({
  columns: columns.map(({ column, mark }) => `${typed(mark)}=${column}`).join("\n"),
  sizes: printRecord(sizes),
  classes: printRecord(classes),
  only: only ?? "",
  board: board === undefined ? "" : typedBoard(board)
})

/** A line that cannot be read, with a sentence that says why. */
export interface WrongLine {
  readonly field: keyof MappingText
  readonly problem: string
}

/** Splits at the last sign, since labels may hold one. */
const pairsOf = <A extends string>(
  field: keyof MappingText,
  text: string,
  words: ReadonlyArray<A>
): Either.Either<ReadonlyArray<readonly [name: string, word: A]>, WrongLine> =>
  Either.all(
    text.split("\n").flatMap((whole) => {
      const line = whole.trim()
      if (line === "") return []
      const at = line.lastIndexOf("=")
      const [name, given] = [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()]
      const word = words.find((one) => one === given)
      const problem = `The line '${line}' must be a label, '=' and one of ${words.join(", ")}`
      return [name === "" || word === undefined ? Either.left({ field, problem }) : Either.right([name, word] as const)]
    })
  )

const isShort = (name: string) => name.length <= 200

/** Reads a mapping that a person typed. */
export const parse = (text: MappingText): Either.Either<Mapping, WrongLine> =>
  Either.gen(function* () {
    const columns = yield* pairsOf("columns", text.columns, ColumnRole.literals)
    const sizes = yield* pairsOf("sizes", text.sizes, Size.literals)
    const classes = yield* pairsOf("classes", text.classes, ClassOfService.literals)
    const [only, board] = [text.only.trim(), text.board.trim()]
    if (columns.length === 0 || columns.length > 50)
      return yield* Either.left({ field: "columns" as const, problem: "Enter 1 to 50 lines" })
    const named = { columns, sizes, classes, only: [[only]] as const }
    for (const field of ["columns", "sizes", "classes", "only"] as const)
      if (!named[field].every(([name]) => isShort(name)))
        return yield* Either.left({ field, problem: "A label has more than 200 characters" })
    if (board.length > 300)
      return yield* Either.left({ field: "board" as const, problem: "It has more than 300 characters" })
    return {
      columns: columns.map(([name, column]) => ({ mark: markOf(name), column })),
      sizes: Object.fromEntries(sizes),
      classes: Object.fromEntries(classes),
      only: only === "" ? null : only,
      ...(board !== "" && { board: boardOf(board) })
    }
  })
