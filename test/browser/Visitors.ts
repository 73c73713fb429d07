import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, assert, beforeAll } from "vitest"
import { launch } from "./Chromium.ts"
import * as Stage from "./Stage.ts"

interface Visiting {
  /** Member of the demo who is signed in; nobody if left out. */
  readonly as?: string
  readonly workspace?: string
  readonly width?: number
  readonly theme?: "light" | "dark"
  readonly script?: boolean
  /** Errors on the console that the test provokes. */
  readonly expected?: RegExp
}

const nothing = /^$/

/** Notes everything that a page must not do. */
const watched = async (context: BrowserContext, hosts: ReadonlyArray<string>, expected: RegExp) => {
  const faults: Array<string> = []
  context.on("request", (request) => {
    if (!hosts.some((url) => request.url().startsWith(`${url}/`))) faults.push(`request to ${request.url()}`)
  })
  context.on("console", (message) => {
    const isFault = message.type() === "error" || message.type() === "warning"
    if (isFault && !expected.test(message.text())) faults.push(`console: ${message.text()} (${message.location().url})`)
  })
  context.on("weberror", (error) => faults.push(`script: ${String(error.error())}`))
  context.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await context.exposeBinding("violated", (_, policy: string, blocked: string) =>
    faults.push(`content security policy: ${policy} blocked ${blocked}`)
  )
  await context.addInitScript(() => {
    const { violated } = globalThis as unknown as { readonly violated: (policy: string, blocked: string) => void }
    document.addEventListener("securitypolicyviolation", (event) =>
      violated(event.effectiveDirective, `${event.blockedURI} ${event.sample}`)
    )
  })
  return faults
}

/** The service and a browser for the tests of a file. After each test, no page may have asked another host, or complained. */
export const visitors = (document?: unknown, equipped: Parameters<typeof Stage.open>[1] = {}) => {
  let stage: Stage.Stage
  let browser: Browser
  const open: Array<{ readonly context: BrowserContext; readonly faults: ReadonlyArray<string> }> = []

  beforeAll(async () => {
    stage = await Stage.open(document, equipped)
    browser = await launch()
  })
  afterEach(async () => {
    const ended = open.splice(0)
    for (const { context } of ended) await context.close()
    assert.deepStrictEqual(
      ended.flatMap(({ faults }) => faults),
      []
    )
  })
  afterAll(async () => {
    await browser?.close()
    await stage?.close()
  })

  return {
    stage: () => stage,
    /** A browser of its own for a person. */
    visit: async (visiting: Visiting = {}): Promise<Page> => {
      const { as, expected = nothing, script = true, theme = "light", width = 1440, workspace = "demo" } = visiting
      const isPhone = width < 640
      const context = await browser.newContext({
        baseURL: stage.url,
        viewport: { width, height: isPhone ? 844 : 900 },
        colorScheme: theme,
        isMobile: isPhone,
        hasTouch: isPhone,
        javaScriptEnabled: script,
        locale: "en-GB",
        timezoneId: "Europe/Berlin"
      })
      context.setDefaultTimeout(60_000)
      open.push({ context, faults: await watched(context, [stage.url, stage.issuer].filter(Boolean), expected) })
      if (as !== undefined)
        await context.addCookies([{ name: "gatehouse", value: await stage.session(as, workspace), url: stage.url }])
      return context.newPage()
    }
  }
}
