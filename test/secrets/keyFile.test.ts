import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import * as SecretKeyFile from "../../adapters/secrets/SecretKeyFile.ts"

it.scoped("a new secret key is on disk, and so is its name, before it is used", () =>
  Effect.gen(function* () {
    const real = yield* FileSystem.FileSystem
    const folder = join(yield* real.makeTempDirectoryScoped(), "data")
    const steps: Array<string> = []
    const noted = (step: string) => Effect.sync(() => void steps.push(step))
    const nameOf = (path: string) => basename(path).replace(/^\.secret-key-.*/, "draft")
    const watched: FileSystem.FileSystem = {
      ...real,
      open: (path, options) =>
        Effect.map(real.open(path, options), (file) => ({
          ...file,
          writeAll: (bytes) => Effect.zipRight(noted(`write ${nameOf(path)}`), file.writeAll(bytes)),
          sync: Effect.zipRight(
            noted(`sync ${nameOf(path)}`),
            Effect.suspend(() => file.sync)
          )
        })),
      link: (from, to) => Effect.zipRight(noted(`link ${nameOf(from)} ${nameOf(to)}`), real.link(from, to)),
      remove: (path, options) => Effect.zipRight(noted(`remove ${nameOf(path)}`), real.remove(path, options))
    }
    const key = yield* SecretKeyFile.key.pipe(
      Effect.provideService(FileSystem.FileSystem, watched),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["DATA_DIR", folder]])))
    )
    assert.deepStrictEqual(steps, ["write draft", "sync draft", "link draft secret-key", "remove draft", "sync data"])
    const file = join(folder, "secret-key")
    assert.strictEqual(readFileSync(file, "utf8"), Buffer.from(Redacted.value(key)).toString("base64"))
    assert.strictEqual(statSync(file).mode & 0o777, 0o600)
  }).pipe(Effect.provide(NodeContext.layer))
)
