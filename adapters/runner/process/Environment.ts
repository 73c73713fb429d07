// @effect-diagnostics processEnv:off
import { Either } from "effect"
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync, writeSync } from "node:fs"

/** Values of the named variables that are set. */
export const valuesOf = (names: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    })
  )

/** Bounds of the memory that holds the first environment; /proc/<pid>/environ shows it for as long as the process lives. */
const bounds = () => {
  const stat = readFileSync("/proc/self/stat", "latin1")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return [Number(fields[47]), Number(fields[48])] as const
}

const overwrite = (secrets: ReadonlyArray<string>) => {
  const [from, to] = bounds()
  const descriptor = openSync("/proc/self/mem", "r+")
  try {
    const memory = Buffer.alloc(to - from)
    readSync(descriptor, memory, 0, memory.length, from)
    for (const secret of secrets)
      for (let at = memory.indexOf(secret); at !== -1; at = memory.indexOf(secret))
        writeSync(
          descriptor,
          memory.fill("x", at, at + Buffer.byteLength(secret)),
          at,
          Buffer.byteLength(secret),
          from + at
        )
  } finally {
    closeSync(descriptor)
  }
}

/** Removes variables from the environment and overwrites their values in the memory that the system shows of it. */
export const forget = (names: ReadonlyArray<string>): void => {
  const secrets = Object.values(valuesOf(names)).filter((value) => value !== "")
  if (process.platform === "linux") Either.try(() => overwrite(secrets))
  for (const name of names) delete process.env[name]
}

/** Processes of a user, or all that this one may read, whose first environment holds the text. */
export const showing = (text: string, uid: number | undefined): ReadonlyArray<number> =>
  process.platform === "linux"
    ? readdirSync("/proc").flatMap((name) => {
        if (!/^\d+$/.test(name)) return []
        const isShown = Either.try(
          () =>
            (uid === undefined || statSync(`/proc/${name}`).uid === uid) &&
            readFileSync(`/proc/${name}/environ`).includes(text)
        )
        return Either.getOrElse(isShown, () => false) ? [Number(name)] : []
      })
    : []
