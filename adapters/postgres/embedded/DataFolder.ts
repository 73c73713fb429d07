import { chmodSync, mkdtempSync, realpathSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { Effect } from "effect"
import { attempt, failed } from "./EmbeddedErrors.ts"
import * as Folders from "./Folders.ts"
import * as Postmaster from "./Postmaster.ts"
import type { Account } from "./Process.ts"

/** Paths of a server, and the account Postgres runs as (undefined: our own). */
export interface Place {
  readonly link: string
  readonly run: string
  readonly log: string
  readonly account: Account | undefined
}

const unprivileged: Account = { uid: 65534, gid: 65534 }

const chooseAccount = Effect.fn(function* (link: string) {
  const data = yield* attempt(`read ${link}`, () => statSync(link, { throwIfNoEntry: false }))
  if (Folders.isRoot()) return data === undefined || data.uid === 0 ? unprivileged : { uid: data.uid, gid: data.gid }
  if (data === undefined || data.uid === Folders.ownUid()) return undefined
  return yield* failed(`${link} belongs to user id ${data.uid}, and this process runs as ${Folders.ownUid()}.`)
})

/** Fails where root may not run programs as the account, which then reaches no folder. */
const reaches = (account: Account | undefined, folder: string) => {
  if (Folders.canReach(account, folder)) return Effect.succeed(true)
  if (account === undefined || Folders.canReach(account, "/")) return Effect.succeed(false)
  return failed(`Postgres refuses to run as root, and this system does not let root run it as user id ${account.uid}.`)
}

export const open = Effect.fn(function* (dataDir: string) {
  yield* Folders.make(resolve(dataDir))
  const folder = yield* attempt(`open ${dataDir}`, () => realpathSync(dataDir))
  const link = join(folder, "postgres")
  const run = join(folder, "postgres.run")
  const account = yield* chooseAccount(link)
  yield* Folders.make(run)
  yield* attempt(`hand over ${run}`, () => Folders.ownLikeParent(run))
  const place: Place = { link, run, log: join(folder, "postgres.log"), account }
  return place
})

/** The real data folder, which need not exist yet: another one when the account cannot reach the requested one. */
export const dataFolder = Effect.fn(function* ({ link, account }: Place) {
  if (Folders.look(link) === undefined) {
    if (yield* reaches(account, join(link, ".."))) return link
    const area = yield* Folders.privateArea(account, Folders.lastingTemp())
    const parent = yield* attempt(`create a folder in ${area}`, () => mkdtempSync(join(area, "data-")))
    yield* attempt(`open ${parent}`, () => chmodSync(parent, 0o711))
    return join(parent, "postgres")
  }
  const found = yield* attempt(`read ${link}`, () => statSync(link, { throwIfNoEntry: false }))
  if (found === undefined)
    return yield* failed(`the data which ${link} points to is gone. Bring it back, or remove the link to start anew.`)
  if (!found.isDirectory()) return yield* failed(`${link} is not a folder.`)
  const data = yield* attempt(`read ${link}`, () => realpathSync(link))
  // A running server has shown that its account reaches the data.
  if (account === undefined || Postmaster.find(data) !== undefined) return data
  if (found.uid === 0) yield* attempt(`hand over ${data}`, () => Folders.giveTo(account, data))
  if (yield* reaches(account, data)) return data
  return yield* failed(
    `user id ${account.uid}, which Postgres runs as, cannot reach ${data}. Open the folders above it (chmod o+x).`
  )
})
