import { inject } from "vitest"
import * as TestPostgres from "../support/TestPostgres.ts"
import { start } from "../support/World.ts"
import { auditSuite } from "./auditSuite.ts"
import { resolveSuite } from "./resolveSuite.ts"
import { refusedSuite } from "./refusedSuite.ts"
import { signalsSuite } from "./signalsSuite.ts"
import { smokeSuite } from "./smoke.ts"
import { httpSuite } from "./suite.ts"

const open = () => start(TestPostgres.layer)

// On memory all of them run in the short form too, and the contract suites hold both stores to the same rules.
if (inject("full"))
  for (const suite of [httpSuite, auditSuite, resolveSuite, signalsSuite, refusedSuite]) suite("postgres", open)
else smokeSuite("postgres", open)
