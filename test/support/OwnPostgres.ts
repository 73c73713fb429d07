import { Effect, Exit, Scope } from "effect"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Embedded from "../../adapters/postgres/embedded/Embedded.ts"
import * as Prepared from "./Prepared.ts"

/** A Postgres of one test, which may end it and begin it again at the same address. */
export const ownPostgres = async (folder = Prepared.folder()) => {
  const acquire = async () => {
    const scope = await Effect.runPromise(Scope.make())
    return { scope, server: await Effect.runPromise(Scope.extend(Embedded.acquire(folder), scope)) }
  }
  let { scope, server } = await acquire()
  const { database, host, port, username } = server
  const release = () => Effect.runPromise(Scope.close(scope, Exit.void))
  const pid = () => Number(readFileSync(join(server.dataDir, "postmaster.pid"), "utf8").split("\n")[0])
  /** At once, as a power cut does. */
  const end = async () => {
    process.kill(pid(), "SIGQUIT")
    await release()
  }
  const begin = async () => {
    ;({ scope, server } = await acquire())
  }
  return {
    client: { host, port, user: username, database },
    url: `postgres://${username}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    pid,
    end,
    begin,
    restart: async () => {
      await end()
      await begin()
    },
    /** Removes the folder when its other users have ended too. */
    close: async (others: Promise<unknown> = Promise.resolve()) => {
      await Promise.all([others, release()])
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
