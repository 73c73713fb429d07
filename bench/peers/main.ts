// @effect-diagnostics processEnv:off
import { start } from "./Peer.ts"
import type { Variant } from "./Statements.ts"

const variants: ReadonlyArray<Variant> = ["ordinary", "named", "limit"]

const [given = process.env["VARIANT"] ?? "ordinary"] = process.argv.slice(2)
const variant = variants.find((known) => known === given)
const databaseUrl = process.env["DATABASE_URL"]
if (variant === undefined) throw new Error(`VARIANT must be one of ${variants.join(", ")}; got '${given}'`)
if (databaseUrl === undefined) throw new Error("DATABASE_URL is missing")

const peer = await start({ variant, databaseUrl, port: Number(process.env["PORT"] ?? 3000) })
process.stdout.write(`listening on ${peer.url}\n`)
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void peer.close())
