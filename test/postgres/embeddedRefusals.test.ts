import { spawn } from "node:child_process"
import { chmodSync, lstatSync, mkdirSync } from "node:fs"
import { readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { acquire } from "../../adapters/postgres/embedded/Embedded.ts"
import * as Binaries from "../../adapters/postgres/embedded/Binaries.ts"
import * as InitCluster from "../../adapters/postgres/embedded/InitCluster.ts"
import { explain } from "../../adapters/postgres/embedded/EmbeddedErrors.ts"
import * as Folders from "../../adapters/postgres/embedded/Folders.ts"
import * as Lock from "../../adapters/postgres/embedded/Lock.ts"
import * as StartServer from "../../adapters/postgres/embedded/StartServer.ts"
import {
  account,
  base,
  eventually,
  folder,
  naming,
  nativeWithoutLinks,
  openFolder,
  query,
  refusal,
  settle,
  warmFolder
} from "./launching.ts"
import { long } from "../support/Long.ts"

settle()

describe.concurrent("the embedded Postgres is careful: it", () => {
  long(() => {
    it.scopedLive("neither trusts nor harms another program that got the pid of a server which is gone", () =>
      Effect.gen(function* () {
        const dataDir = yield* warmFolder
        const other = spawn("sleep", ["60"], { cwd: "/", stdio: "ignore", ...account })
        yield* Effect.addFinalizer(() => Effect.sync(() => other.kill()))
        const pidFile = join(dataDir, "postgres", "postmaster.pid")
        const sockets = join(base, "elsewhere")
        writeFileSync(pidFile, [other.pid, join(dataDir, "postgres"), 0, 5432, sockets, "", "", "ready", ""].join("\n"))
        yield* Effect.scoped(
          Effect.gen(function* () {
            const server = yield* acquire(dataDir)
            assert.strictEqual(server.start, "warm")
            assert.deepStrictEqual(yield* query(server, "SELECT 1 AS n"), { n: 1 })
          })
        )
        assert.isNull(other.exitCode ?? other.signalCode)
      })
    )
  })

  long(() => {
    it.scopedLive("leaves a server alone which somebody else runs on its data", () =>
      Effect.gen(function* () {
        const dataDir = yield* warmFolder
        const [data, sockets] = [join(dataDir, "postgres"), openFolder()]
        chmodSync(sockets, 0o777)
        const { postgres } = yield* Binaries.prepare(yield* Binaries.locate(), account, base)
        const theirs = spawn(postgres, ["-D", data, "-k", sockets, "-h", ""], { cwd: "/", stdio: "ignore", ...account })
        yield* Effect.addFinalizer(() => Effect.sync(() => theirs.kill("SIGQUIT")))
        yield* eventually("their server does not start", () => readdirSync(sockets).includes(".s.PGSQL.5432"))
        assert.include(yield* refusal(dataDir), `Is another postmaster (PID ${theirs.pid}) running`)
        assert.isNull(theirs.exitCode ?? theirs.signalCode)
      })
    )
  })

  it.scopedLive("refuses data of another major version and tells how to move it", () =>
    Effect.gen(function* () {
      const dataDir = yield* warmFolder
      const data = join(dataDir, "postgres")
      writeFileSync(join(data, "PG_VERSION"), "17\n")
      yield* Effect.addFinalizer(() => Effect.sync(() => writeFileSync(join(data, "PG_VERSION"), "18\n")))
      const state = () =>
        readdirSync(data, { recursive: true, encoding: "utf8" }).map((name) => {
          const { ctimeMs, size } = lstatSync(join(data, name))
          return [name, size, ctimeMs]
        })
      const before = state()
      const message = yield* refusal(dataDir)
      for (const part of ["PostgreSQL 17", "PostgreSQL 18", "pg_dump", "pg_restore", "DATABASE_URL"])
        assert.include(message, part)
      assert.deepStrictEqual(state(), before)
    })
  )

  it.live("tells what is wrong with the folder it was given", () =>
    Effect.gen(function* () {
      const place = openFolder()
      writeFileSync(join(place, "file"), "")
      assert.include(yield* refusal(join(place, "file")), "a file is in the way")
      assert.include(yield* refusal(join(place, "file", "below")), "a file is in the way")
      mkdirSync(join(place, "strange", "postgres"), { recursive: true })
      writeFileSync(join(place, "strange", "postgres", "diary.txt"), "")
      assert.include(yield* refusal(join(place, "strange")), "something else than Postgres data")
      mkdirSync(join(place, "lost"))
      symlinkSync(join(place, "nowhere"), join(place, "lost", "postgres"))
      const lost = yield* refusal(join(place, "lost"))
      assert.include(lost, "is gone")
      assert.include(lost, "DATABASE_URL")
      assert.strictEqual(explain({ code: "EROFS" }), "the file system is read-only")
      assert.strictEqual(explain({ code: "ENOSPC" }), "no space is left on the disk")
    })
  )

  long(() => {
    it.scopedLive("shows the end of the log when the server does not start", () =>
      Effect.gen(function* () {
        const dataDir = yield* warmFolder
        const settings = join(dataDir, "postgres", "postgresql.auto.conf")
        writeFileSync(settings, "no_such_setting = 1\n")
        yield* Effect.addFinalizer(() => Effect.sync(() => writeFileSync(settings, "")))
        assert.include(yield* refusal(dataDir), 'unrecognized configuration parameter "no_such_setting"')
      })
    )
  })

  long(() => {
    it.live("gives up on a server that does not get ready, and on a lock that is not released", () =>
      Effect.gen(function* () {
        const place = openFolder()
        const postgres = join(place, "postgres")
        writeFileSync(postgres, `#!/bin/sh\necho LOG: still thinking\nexec tail -f "$0"\n`, { mode: 0o755 })
        const [data, log] = [join(place, "data"), join(place, "log")]
        const stuck = yield* Effect.flip(
          StartServer.start({ postgres, account, data, sockets: place, log, within: "300 millis" })
        )
        assert.include(stuck.message, "LOG: still thinking")
        assert.include(stuck.message, "DATABASE_URL")
        assert.deepStrictEqual(naming(place), [])

        const held = yield* Lock.hold(place)(Effect.flip(Lock.hold(place, "100 millis")(Effect.void)))
        assert.include(held.message, `process ${process.pid} is starting it`)
        writeFileSync(join(place, "lock"), "1\nother-host\nother-boot pid:[1]")
        yield* Lock.hold(place, "1 second")(Effect.void)
      })
    )
  })

  it.live("trusts no folder that somebody else could have made", () =>
    Effect.gen(function* () {
      const place = folder()
      const isTrusted = (name: string, uid = Folders.ownUid()) =>
        Effect.isSuccess(Folders.verify(join(place, name), uid, 0o700))
      mkdirSync(join(place, "good"), { mode: 0o700 })
      mkdirSync(join(place, "open"))
      chmodSync(join(place, "open"), 0o777)
      symlinkSync(join(place, "good"), join(place, "link"))
      writeFileSync(join(place, "file"), "", { mode: 0o700 })
      assert.isTrue(yield* isTrusted("good"))
      assert.isFalse(yield* isTrusted("good", Folders.ownUid() + 1))
      assert.isFalse(yield* isTrusted("open"))
      assert.isFalse(yield* isTrusted("link"))
      assert.isFalse(yield* isTrusted("file"))
    })
  )

  it.live("names the way out on a platform without binaries and for a user without a name", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(Binaries.locate("sunos", "sparc"))
      assert.include(message, "sunos-sparc")
      assert.include(message, "DATABASE_URL")
      const printed = "initdb: could not look up effective user ID 12345: user does not exist"
      assert.include(InitCluster.explainInit(printed), "user id 12345 has no name")
    })
  )

  it.live("makes the links of its libraries when npm did not", () =>
    Effect.gen(function* () {
      const native = nativeWithoutLinks(openFolder())
      const binaries = yield* Binaries.prepare(native, account, folder())
      assert.strictEqual(binaries.postgres, join(native, "bin", "postgres"))
      assert.strictEqual(yield* Binaries.majorOf(yield* Binaries.locate()), "18")
    })
  )
})
