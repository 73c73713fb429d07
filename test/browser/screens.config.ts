import { defineConfig } from "vitest/config"
import browser from "./vitest.config.ts"

export default defineConfig({ test: { ...browser.test, include: ["test/browser/screens.ts"] } })
