import { execFileSync } from "node:child_process"
import { bundle } from "../test/support/bundle.ts"

/** The measured service and the load generator, each in one file as it runs in service. */
export const built = { ours: "dist/main.js", peer: "dist/bench/peer.js", generator: "dist/bench/generator.js" }

export const buildAll = async () => {
  execFileSync("npm", ["run", "-s", "build"], { stdio: ["ignore", "ignore", "inherit"] })
  await bundle({ generator: "bench/generator.ts", peer: "bench/peers/main.ts" }, "dist/bench")
}
