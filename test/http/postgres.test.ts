import * as TestPostgres from "../support/TestPostgres.ts"
import { start } from "../support/World.ts"
import { httpSuite } from "./suite.ts"

httpSuite("postgres", () => start(TestPostgres.layer))
