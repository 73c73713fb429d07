// @effect-diagnostics processEnv:off globalDate:off
import { execFile, spawn } from "node:child_process"
import { chown, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { userInfo } from "node:os"
import { join, resolve } from "node:path"
import { promisify, stripVTControlCharacters } from "node:util"
import type { Tally } from "./Suite.ts"

const run = promisify(execFile)
const root = resolve(import.meta.dirname, "../..")
const nobody = 65534

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

/** Processes whose command line names the folder. */
const left = async (folder: string) => {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")))
  return lines.filter((line) => line.includes(folder)).length
}

const until = async <A>(what: string, look: () => A | undefined | Promise<A | undefined>, patience = 60_000) => {
  const deadline = performance.now() + patience
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline) throw new Error(`waited too long for ${what}`)
    await new Promise((done) => setTimeout(done, 100))
  }
}

/** Follows the README step by step in an empty folder, with an empty npm cache. */
const follow = async (who: string, uid: number): Promise<Tally> => {
  // A runner refuses a folder below /tmp or /var/tmp, so no home is there.
  const home = await mkdtemp(join(userInfo().uid === 0 ? "/var/lib" : userInfo().homedir, "gatehouse-clone-"))
  await chown(home, uid, uid)
  const clone = join(home, "gatehouse")
  const account = userInfo().uid === 0 ? { uid, gid: uid } : {}
  const env = { PATH: process.env["PATH"], HOME: home, npm_config_cache: join(home, ".npm"), PORT: "0" }
  const options = { cwd: clone, env, ...account, maxBuffer: 1 << 26 }
  try {
    await run("git", ["clone", "--quiet", root, clone])
    await run("chown", ["-R", `${uid}:${uid}`, clone]).catch(() => undefined)
    const install = performance.now()
    await run("npm", ["install"], options)
    const installed = seconds(install)

    const start = performance.now()
    const service = spawn("npm", ["start"], { ...options, detached: true })
    let output = ""
    service.stdout.on("data", (chunk) => (output += String(chunk)))
    service.stderr.on("data", (chunk) => (output += String(chunk)))
    const commands = await until("the first steps", () => {
      const found = output.match(/curl .*/g)
      return found?.length === 3 ? found : undefined
    })
    const started = seconds(start)
    for (const [index, command] of commands.entries()) {
      const { stdout } = await run("sh", ["-c", command], options)
      if (!stdout.startsWith(index < 2 ? '{"data":[{' : '{"key":"dec-')) throw new Error(`does not work: ${command}`)
    }
    process.kill(-(service.pid ?? 0), "SIGINT")
    await until("every process to end", async () => ((await left(clone)) === 0 ? true : undefined))

    const test = performance.now()
    const { stdout } = await run("npm", ["test"], options)
    const [, passed] = /Tests\s+(\d+) passed/.exec(stripVTControlCharacters(stdout)) ?? []
    if (passed === undefined) throw new Error("npm test does not say how many tests passed")
    const tested = seconds(test)
    const figures = `${who}: npm install ${installed}, first start to working curl commands ${started}, ^C leaves 0 processes, npm test ${tested} with ${passed} tests passed`
    return { isGreen: true, figures }
  } catch (error) {
    return { isGreen: false, figures: `${who}: ${String(error).split("\n")[0] ?? ""}` }
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Follows the README as root and as an ordinary user; the row stays as it was where this user is not root. */
export const freshClone = async (): Promise<ReadonlyArray<Tally | null>> => {
  if (userInfo().uid !== 0) return [null, await follow("ordinary user", userInfo().uid)]
  return [await follow("root", 0), await follow("ordinary user", nobody)]
}
