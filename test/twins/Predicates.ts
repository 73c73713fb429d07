/** One condition of a statement that says whose rows it is about. */
export interface Predicate {
  readonly statement: string
  readonly at: number
  readonly text: string
}

/** What rows are compared with: a parameter, or whose another row is. */
const conditions = [
  /\b(?:\w+\.)?workspace_id = (?:\$\d+|\w+\.(?:workspace_id|workspace|id))/g,
  /\b\w+\.id = \w+\.workspace_id\b/g,
  /\bw\.(?:id|slug) = \$\d+/g,
  /(?<=\bFROM workspaces WHERE )slug = \$\d+/g,
  /(?<=\bUSING \()workspace_id, /g,
  /\(workspace_id, [\w, ]+\) IN \(\s*SELECT workspace_id, /g
]

export const predicatesIn = (statement: string): ReadonlyArray<Predicate> =>
  conditions
    .flatMap((condition) => [...statement.matchAll(condition)])
    .map(({ 0: text, index }) => ({ statement, at: index, text }))
    .sort((one, other) => one.at - other.at)

/** What holds for all rows; a parameter is still used, since a statement with fewer is another one. */
const always = (text: string) => {
  if (text.endsWith(", ")) return text.replaceAll("workspace_id, ", "")
  const parameter = /\$\d+$/.exec(text)?.[0]
  return parameter === undefined ? "true" : `(${parameter}::${text.includes("slug") ? "text" : "uuid"} IS NOT NULL)`
}

/** The statement as it would be if somebody had forgotten the condition. */
export const without = ({ at, statement, text }: Predicate): string =>
  statement.slice(0, at) + always(text) + statement.slice(at + text.length)

const plain = (text: string) => text.replace(/\s+/g, " ")

/** The condition amid what stands around it, which tells it from others wherever its statement is made. */
export const around = ({ at, statement, text }: Predicate): string =>
  `${plain(statement.slice(0, at)).slice(-70).trimStart()}[${text}]${plain(statement.slice(at + text.length)).slice(0, 50)}`
