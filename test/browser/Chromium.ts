import { existsSync } from "node:fs"
import { chromium } from "playwright-core"

/** Where Debian's package and others put it. */
const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** No name but this machine's is looked up, so that a request elsewhere fails as well as being noticed. */
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-lcd-text",
  "--no-first-run",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"
]

export const installed = places.find((place) => existsSync(place))

export const launch = () => chromium.launch({ executablePath: installed ?? places[0] ?? "", args })
