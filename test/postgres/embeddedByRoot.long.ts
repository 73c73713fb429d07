import { spawnSync } from "node:child_process"
import { chmodSync, chownSync } from "node:fs"
import { readdirSync, readlinkSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { long } from "../support/Long.ts"
import { canRun } from "../support/Optional.ts"
import { acquire } from "../../adapters/postgres/embedded/Embedded.ts"
import * as Binaries from "../../adapters/postgres/embedded/Binaries.ts"
import {
  account,
  base,
  folder,
  isRoot,
  naming,
  nativeWithoutLinks,
  openFolder,
  ordinary,
  query,
  serverUid,
  service,
  settle,
  warmFolder
} from "./launching.ts"

settle()

describe.runIf(canRun(isRoot, "this user is not root"))(
  "the embedded Postgres, started by root",
  { concurrent: true },
  () => {
    it.scopedLive("runs as an unprivileged user, its data elsewhere when that user cannot reach the folder", () =>
      Effect.gen(function* () {
        const home = folder()
        const dataDir = join(home, "data")
        const first = yield* Effect.scoped(acquire(dataDir))
        assert.strictEqual(first.start, "cold")
        assert.strictEqual(readlinkSync(join(dataDir, "postgres")), first.dataDir)
        assert.isTrue(first.dataDir.startsWith(base))
        assert.strictEqual(statSync(first.dataDir).uid, serverUid)
        assert.strictEqual(statSync(first.dataDir).mode & 0o777, 0o700)
        for (const parent of [dirname(first.dataDir), dirname(dirname(first.dataDir))]) {
          assert.strictEqual(statSync(parent).uid, 0)
          assert.strictEqual(statSync(parent).mode & 0o777, 0o711)
        }
        const second = yield* acquire(dataDir)
        assert.deepStrictEqual(second, { ...first, start: "warm" })
        assert.deepStrictEqual(yield* query(second, "SELECT 1 AS n"), { n: 1 })
      })
    )

    long(() => {
      it.live("copies programs which that user cannot reach, and repairs a copy that lost files", () =>
        Effect.gen(function* () {
          const [home, area] = [folder(), openFolder()]
          const native = nativeWithoutLinks(home)
          const prepared = Binaries.prepare(native, account, area)
          const binaries = yield* prepared
          assert.strictEqual(dirname(dirname(dirname(binaries.postgres))), area)
          rmSync(join(dirname(binaries.postgres), "../share/postgresql/postgres.bki"))
          assert.deepStrictEqual(yield* prepared, binaries)
          assert.strictEqual(readdirSync(area).length, 1)
        })
      )
    })

    long(() => {
      it.scopedLive("takes back data that was copied by root", () =>
        Effect.gen(function* () {
          const dataDir = yield* warmFolder
          spawnSync("chown", ["-R", "0:0", dataDir])
          chmodSync(join(dataDir, "postgres"), 0o755)
          assert.strictEqual((yield* acquire(dataDir)).start, "warm")
          assert.strictEqual(statSync(join(dataDir, "postgres")).uid, serverUid)
        })
      )
    })

    long(() => {
      it.scopedLive("runs as the ordinary user who owns the data, and as themselves when they start it", () =>
        Effect.gen(function* () {
          const dataDir = join(openFolder(), "data")
          chownSync(dirname(dataDir), ordinary, ordinary)
          const theirs = yield* service(dataDir, { uid: ordinary })
          const server = yield* theirs.ready
          assert.strictEqual(server.start, "cold")
          assert.strictEqual(statSync(server.dataDir).uid, ordinary)
          assert.deepStrictEqual(yield* query(server, "SELECT 1 AS n"), { n: 1 })
          yield* theirs.leave
          assert.deepStrictEqual(naming(dataDir), [])
          assert.deepStrictEqual(yield* Effect.scoped(acquire(dataDir)), {
            ...server,
            host: server.host.replace(`gatehouse-${ordinary}`, "gatehouse-0"),
            start: "warm"
          })
          const again = yield* service(dataDir, { uid: ordinary })
          assert.deepStrictEqual(yield* again.ready, { ...server, start: "warm" })
        })
      )
    })

    long(() => {
      it.scopedLive(
        "tells an ordinary user about folders that are not theirs, and one without a name the way out",
        () =>
          Effect.gen(function* () {
            const [readOnly, foreign, nameless] = [openFolder(), yield* warmFolder, openFolder()]
            chownSync(nameless, 12345, 12345)
            const refused = yield* Effect.all([
              service(join(readOnly, "data"), { uid: ordinary }),
              service(foreign, { uid: ordinary }),
              service(join(nameless, "data"), { uid: 12345 })
            ])
            const [first, second, third] = yield* Effect.all(refused.map((each) => each.refused))
            assert.include(first, `cannot create the folder ${readOnly}/data: permission denied`)
            assert.include(second, "belongs to user id 65534")
            assert.include(third, "user id 12345 has no name")
            for (const message of [first, second, third]) assert.include(message, "DATABASE_URL")
          })
      )
    })

    long(() => {
      it.scopedLive(
        "completes the libraries of a package an ordinary user cannot write to in a copy, made by six at once",
        () =>
          Effect.gen(function* () {
            const native = nativeWithoutLinks(openFolder())
            const six = yield* Effect.replicateEffect(service(native, { uid: ordinary, task: "prepare" }), 6)
            for (const prepared of six) {
              const binaries = (yield* prepared.line(0)) as Binaries.Binaries
              assert.isTrue(binaries.postgres.startsWith(join(base, `gatehouse-${ordinary}`)), String(binaries))
            }
          })
      )
    })
  }
)
