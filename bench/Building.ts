import { build } from "esbuild"
import { execFileSync } from "node:child_process"

/** What is measured and what measures it, each in one file as it runs in service. */
export const built = { ours: "dist/main.js", peer: "dist/bench/peer.js", generator: "dist/bench/generator.js" }

export const buildAll = async () => {
  execFileSync("npm", ["run", "-s", "build"], { stdio: ["ignore", "ignore", "inherit"] })
  await build({
    entryPoints: { generator: "bench/generator.ts", peer: "bench/peers/main.ts" },
    outdir: "dist/bench",
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    external: ["pg-native"],
    logLevel: "error",
    banner: { js: "import{createRequire as r}from'node:module';const require=r(import.meta.url);" }
  })
}
