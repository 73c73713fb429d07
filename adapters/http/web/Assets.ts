import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as crypto from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { Notes } from "../server/RequestNotes.ts"

const folder = join("adapters", "http", "web", "assets")

/** Found from this file and from the bundle, which is in another folder of the same tree. */
const home = (from: string): string => {
  if (existsSync(join(from, folder))) return join(from, folder)
  if (dirname(from) === from) throw new Error(`There is no folder ${folder} above ${import.meta.url}.`)
  return home(dirname(from))
}

const own = home(dirname(fileURLToPath(import.meta.url)))

/** In the order of the cascade. */
const styles = [
  "tokens",
  "base",
  "shell",
  "page",
  "parts",
  "rows",
  "reading",
  "options",
  "forms",
  "tables",
  "lists",
  "incidents",
  "work",
  "admin",
  "overlays"
]

const scripts = ["trouble", "page", "drafts", "keys", "live", "work", "passkeys"]

const read = (path: string) => readFileSync(path, "utf8")
const joined = (names: ReadonlyArray<string>, type: "css" | "js") =>
  names.map((name) => read(join(own, `${name}.${type}`))).join("\n")

interface Asset {
  readonly type: string
  readonly plain: Uint8Array
  readonly zipped: Uint8Array
}

const served = new Map<string, Asset>()

/** Serves a text under a name with its hash, which browsers keep for good. */
const publish = (name: string, extension: "css" | "js" | "svg", text: string): string => {
  const plain = new TextEncoder().encode(text)
  const hash = crypto.createHash("sha256").update(plain).digest("hex").slice(0, 12)
  const path = `/assets/${name}-${hash}.${extension}`
  const type = { css: "text/css", js: "text/javascript", svg: "image/svg+xml" }[extension]
  served.set(path, { type: `${type}; charset=utf-8`, plain, zipped: gzipSync(plain, { level: 9 }) })
  return path
}

/** Addresses of the files that every page loads. */
export const assets = {
  style: publish("gatehouse", "css", joined(styles, "css")),
  script: publish("gatehouse", "js", joined(scripts, "js")),
  htmx: publish("htmx", "js", read(createRequire(import.meta.url).resolve("htmx.org/dist/htmx.min.js"))),
  icon: publish("icon", "svg", read(join(own, "icon.svg")))
}

/** Serves an asset, compressed if the browser accepts it; null when there is none. */
export const asset = (path: string, acceptEncoding: string | undefined, { headers }: Notes) => {
  const found = served.get(path)
  if (found === undefined) return null
  headers["cache-control"] = "public, max-age=31536000, immutable"
  headers["vary"] = "accept-encoding"
  const isZipped = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(acceptEncoding ?? "")
  if (isZipped) headers["content-encoding"] = "gzip"
  return HttpServerResponse.uint8Array(isZipped ? found.zipped : found.plain, { contentType: found.type })
}
