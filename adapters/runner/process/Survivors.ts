import { Either } from "effect"
import { readdirSync, readFileSync } from "node:fs"

/** The variable that marks all processes of one command. */
export const markVariable = "GATEHOUSE_PROCESS"

/** A living process. */
export interface Seen {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** The pid with its start time, which is never used again. */
  readonly identity: string
}

const hasProc = process.platform === "linux"

/** Errors of the runner's own; every other one says that the process is gone or not to be read. */
const ownErrors = new Set<unknown>(["EMFILE", "ENFILE", "ENOMEM"])

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1")
  } catch (error) {
    if (error instanceof Error && "code" in error && ownErrors.has(error.code)) throw error
    return ""
  }
}

const seen = (pid: number): Seen | undefined => {
  const stat = read(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  if (stat === "" || /^[ZX]/.test(fields[0] ?? "")) return undefined
  const [parent, group, session] = fields.slice(1, 4).map(Number)
  return { pid, parent: parent ?? 0, group: group ?? 0, session: session ?? 0, identity: `${pid}.${fields[19]}` }
}

const living = (): ReadonlyArray<Seen> =>
  readdirSync("/proc").flatMap((name) =>
    /^\d+$/.test(name) && Number(name) !== process.pid ? (seen(Number(name)) ?? []) : []
  )

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

/** The first processes and all their descendants, each once. */
export const familyOf = (all: ReadonlyArray<Seen>, first: ReadonlyArray<Seen>): ReadonlySet<Seen> => {
  const children = new Map<number, Array<Seen>>()
  for (const one of all) {
    const siblings = children.get(one.parent)
    if (siblings === undefined) children.set(one.parent, [one])
    else siblings.push(one)
  }
  // A set that grows is visited to its end.
  const family = new Set(first)
  for (const one of family) for (const child of children.get(one.pid) ?? []) family.add(child)
  return family
}

/** The real user, which stays the same for a program that runs with the rights of its owner. */
const userOf = (pid: number): number => Number(/^Uid:\t(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? -1)

/**
 * Finds the processes of a command each time it is called: those of its group and session, its descendants, and those
 * that left all of these but keep the mark in their environment. It remembers descendants, so that one that changes its
 * parent is found again. Only processes of the user are searched for the mark, where one is given. It throws while the
 * runner has no free file descriptor.
 */
export const watch = ({ identity, mark, pid }: Marked, user?: number): (() => ReadonlyArray<number>) => {
  let known: ReadonlySet<string> = new Set()
  let strangers: ReadonlySet<string> = new Set()
  const wanted = `${markVariable}=${mark}\0`
  if (!hasProc) return () => (identityOf(pid) === identity && isGroup(pid) ? [-pid] : [])
  return () => {
    const all = living()
    const leader = all.find((one) => one.pid === pid)
    // A pid that now belongs to another process says nothing about its group.
    const isReused = leader !== undefined && identity !== undefined && leader.identity !== identity
    const first = all.filter(
      (one) => (!isReused && (one.group === pid || one.session === pid)) || known.has(one.identity)
    )
    const near = familyOf(all, first)
    const unmarked = new Set<string>()
    const marked = all.filter((one) => {
      if (near.has(one)) return false
      const isStranger = strangers.has(one.identity) || (user !== undefined && userOf(one.pid) !== user)
      const environment = isStranger ? "" : read(`/proc/${one.pid}/environ`)
      // A process that is just being started shows no environment yet.
      if (isStranger || (environment !== "" && !environment.includes(wanted))) unmarked.add(one.identity)
      return environment.includes(wanted)
    })
    const family = [...familyOf(all, [...near, ...marked])]
    known = new Set(family.map((one) => one.identity))
    strangers = unmarked
    return family.map((one) => one.pid)
  }
}

/** Signals processes; one that is gone is no error. */
export const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals): void => {
  for (const pid of pids) Either.try(() => process.kill(pid, name))
}
