/** One condition of a statement that restricts it to a workspace. */
export interface Predicate {
  readonly statement: string
  readonly at: number
  readonly text: string
}

/** The comparisons of a workspace: with a parameter, or with another row's workspace. */
const conditions = [
  /\b(?:\w+\.)?workspace_id = (?:\$\d+|\w+\.(?:workspace_id|workspace|id))/g,
  /\b\w+\.id = \w+\.workspace_id\b/g,
  /\bw\.(?:id|slug) = \$\d+/g,
  /(?<=\bFROM workspaces WHERE )slug = \$\d+/g,
  /(?<=\bUSING \()workspace_id, /g,
  /\(workspace_id, [\w, ]+\) IN \(\s*SELECT workspace_id, /g
]

/** Statements that contain the same part of SQL several times: a condition is left out of all of them. */
const isRepeating = (statement: string) =>
  /^\s*UPDATE tracker_issues i SET leased_until = clock_timestamp\(\) \+/.test(statement)

export const predicatesIn = (statement: string): ReadonlyArray<Predicate> => {
  const all = conditions
    .flatMap((condition) => [...statement.matchAll(condition)])
    .map(({ 0: text, index }) => ({ statement, at: index, text }))
    .sort((one, other) => one.at - other.at)
  return isRepeating(statement) ? all.filter(({ at, text }) => statement.indexOf(text) === at) : all
}

/** Ends a wait for a lock of another workspace soon. */
const impatient = "set_config('lock_timeout', '20', true) <> ''"

/** A condition that holds for all rows; it still uses the parameter, since a statement with fewer is another one. */
const always = (text: string) => {
  if (text.endsWith(", ")) return text.replaceAll("workspace_id, ", "")
  const parameter = /\$\d+$/.exec(text)?.[0]
  if (parameter === undefined) return `(${impatient})`
  return `(${parameter}::${text.includes("slug") ? "text" : "uuid"} IS NOT NULL AND ${impatient})`
}

/** The statement as it would be without the condition. */
export const without = ({ at, statement, text }: Predicate): string =>
  isRepeating(statement)
    ? statement.replaceAll(text, () => always(text))
    : statement.slice(0, at) + always(text) + statement.slice(at + text.length)

const plain = (text: string) => text.replace(/\s+/g, " ")

/** The condition with its surroundings, which identify it wherever its statement is built. */
export const around = ({ at, statement, text }: Predicate): string =>
  `${plain(statement.slice(0, at)).slice(-70).trimStart()}[${text}]${plain(statement.slice(at + text.length)).slice(0, 50)}`
