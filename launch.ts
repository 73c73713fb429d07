import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Script } from "node:vm"
import { crc32 } from "node:zlib"

/** Programs that stay; every other command starts faster from a bundle without the service and the runner. */
const isService =
  [undefined, "demo", "mcp", "runner"].includes(process.argv[2]) && !process.argv.includes("--workspace")
const bundle = join(import.meta.dirname, isService ? "gatehouse" : "commands")
const [program, cache] = [`${bundle}.cjs`, `${bundle}.cache`]
const bytes = readFileSync(program)

/** Ties compiled code to the bundle: V8 itself compares only lengths, and reads damaged code without complaint. */
const sumOf = (code: Uint8Array) => {
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(crc32(code, crc32(bytes)))
  return sum
}

/** First byte of the code that the service or a command on the database left; help leaves less of it. */
const [less, whole] = [0, 1]

const kept = (): Buffer | undefined => {
  try {
    const file = readFileSync(cache)
    const code = file.subarray(4)
    return sumOf(code).equals(file.subarray(0, 4)) ? code : undefined
  } catch {
    return undefined
  }
}

/** Keeps the code of all functions that ran; a folder that cannot be written stays without it. */
const keep = (script: Script, extent: number) => {
  const code = Buffer.concat([Buffer.of(extent), script.createCachedData()])
  const draft = `${cache}.${process.pid}`
  try {
    writeFileSync(draft, Buffer.concat([sumOf(code), code]))
    renameSync(draft, cache)
  } catch {
    rmSync(draft, { force: true })
  }
}

const code = kept()
// The bundle is ASCII, which latin1 reads fastest.
const script = new Script(`(function (require, navigator, __url) {${bytes.latin1Slice()}\n})`, {
  filename: program,
  ...(code !== undefined && { cachedData: code.subarray(1) })
})
const extent = (isService && process.argv.length < 4) || process.argv.includes("--workspace") ? whole : less
const isKept = code !== undefined && script.cachedDataRejected !== true && (code[0] ?? less) >= extent
if (!isKept) process.on("exit", (status) => void (status === 0 && keep(script, extent)))
// pg looks for a navigator, and without one loads all of fetch, which takes a command 20 ms.
script.runInThisContext()(createRequire(program), { userAgent: "Node.js" }, pathToFileURL(program).href)
