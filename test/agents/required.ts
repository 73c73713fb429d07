// @effect-diagnostics processEnv:off
import { programs, versionOf } from "./Installed.ts"

/** Ends the run before any test when an agent is not installed; in CI that is a failure. */
export default () => {
  const absent = Object.keys(programs).filter((name) => versionOf(name) === undefined)
  if (absent.length === 0) return
  process.stderr.write(
    `Not installed, so nothing was tested with the real programs: ${absent.join(", ")}. Run 'npm run agents:install' and this again.\n`
  )
  process.exit(process.env["OPTIONAL_TESTS"] === "required" ? 1 : 0)
}
