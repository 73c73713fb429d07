import { installed } from "./Chromium.ts"

/** Ends the run before any test when there is no browser. */
export default () => {
  if (installed !== undefined) return
  process.stderr.write(
    "No browser is installed, so the pages were not tested. Install Chromium (Debian: apt-get install chromium) and run this again.\n"
  )
  process.exit(1)
}
