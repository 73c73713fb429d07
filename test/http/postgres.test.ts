import * as TestPostgres from "../support/TestPostgres.ts"
import { start } from "../support/World.ts"
import { auditSuite } from "./auditSuite.ts"
import { resolveSuite } from "./resolveSuite.ts"
import { signalsSuite } from "./signalsSuite.ts"
import { httpSuite } from "./suite.ts"

httpSuite("postgres", () => start(TestPostgres.layer))
auditSuite("postgres", () => start(TestPostgres.layer))
resolveSuite("postgres", () => start(TestPostgres.layer))
signalsSuite("postgres", () => start(TestPostgres.layer))
