import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "../..")
const version = "0.2.0-alpha.12"
const folder = join(root, ".cache", `conformance-${version}`)
const deno = join(root, "node_modules/.bin/deno")

/** The program of the suite, which is fetched once and stays out of the project's dependencies. */
const program = join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js")

/** Fetches the suite; false when that fails. */
export const fetched = (): boolean => {
  if (existsSync(program)) return true
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n')
  const wanted = `@modelcontextprotocol/conformance@${version}`
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
  try {
    execFileSync("npm", ["install", ...options, wanted], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
  } catch {
    rmSync(folder, { recursive: true, force: true })
  }
  return existsSync(program)
}

/** Runs every scenario that a revision requires; the code is 0 when exactly the expected ones fail. */
export const judge = (url: string, revision: string): Promise<number> => {
  const expected = join(import.meta.dirname, `${revision}.yml`)
  const results = join(folder, "results", revision)
  rmSync(results, { recursive: true, force: true })
  const words = ["server", "--url", url, "--requirements", revision, "--expected-failures", expected, "-o", results]
  // The suite needs a newer Node.js than the service.
  const child = spawn(deno, ["run", "-A", program, ...words], {
    cwd: folder,
    env: { ...process.env, DENO_DIR: join(folder, "deno"), NO_COLOR: "1" },
    stdio: "inherit"
  })
  return new Promise((done) => child.on("error", () => done(1)).on("close", (code) => done(code ?? 1)))
}
