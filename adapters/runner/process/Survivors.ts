import { Either } from "effect"
import { readdirSync, readFileSync } from "node:fs"

/** The variable that marks all processes of one command. */
export const markVariable = "GATEHOUSE_PROCESS"

interface Seen {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** The pid with its start time, which is never used again. */
  readonly identity: string
}

const hasProc = process.platform === "linux"

const read = (path: string): string =>
  Either.getOrElse(
    Either.try(() => readFileSync(path, "latin1")),
    () => ""
  )

const seen = (pid: number): Seen | undefined => {
  const stat = read(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  if (stat === "" || /^[ZX]/.test(fields[0] ?? "")) return undefined
  const [parent, group, session] = fields.slice(1, 4).map(Number)
  return { pid, parent: parent ?? 0, group: group ?? 0, session: session ?? 0, identity: `${pid}.${fields[19]}` }
}

const living = (): ReadonlyArray<Seen> =>
  readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (seen(Number(name)) ?? []) : []))

/** The pid with its start time; undefined when no such process lives. */
export const identityOf = (pid: number): string | undefined =>
  hasProc ? seen(pid)?.identity : isGroup(pid) ? `${pid}` : undefined

const isGroup = (leader: number): boolean => Either.isRight(Either.try(() => process.kill(-leader, 0)))

/** A command that runs or ran, by its first process and its mark. */
export interface Marked {
  readonly pid: number
  readonly identity: string | undefined
  readonly mark: string
}

/**
 * Finds the processes of a command: those of its group and session, its descendants, and those that left all of these
 * but keep the mark in their environment. `known` remembers descendants, so that one that changes its parent is found again.
 */
export const survivors = ({ identity, mark, pid }: Marked, known: Set<string> = new Set()): ReadonlyArray<number> => {
  if (!hasProc) return identityOf(pid) === identity && isGroup(pid) ? [-pid] : []
  const all = living()
  const leader = all.find((one) => one.pid === pid)
  // A pid that now belongs to another process says nothing about its group.
  const isReused = leader !== undefined && identity !== undefined && leader.identity !== identity
  const found = new Set<number>()
  const add = (one: Seen) => {
    if (one.pid === process.pid || found.has(one.pid)) return
    found.add(one.pid)
    known.add(one.identity)
    for (const child of all) if (child.parent === one.pid) add(child)
  }
  for (const one of all)
    if (
      (!isReused && (one.group === pid || one.session === pid)) ||
      known.has(one.identity) ||
      read(`/proc/${one.pid}/environ`).includes(`${markVariable}=${mark}\0`)
    )
      add(one)
  return [...found]
}

/** Signals processes; one that is gone is no error. */
export const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals): void => {
  for (const pid of pids) Either.try(() => process.kill(pid, name))
}
