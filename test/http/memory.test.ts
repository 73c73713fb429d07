import * as Memory from "../../adapters/memory/Memory.ts"
import { start } from "../support/World.ts"
import { auditSuite } from "./auditSuite.ts"
import { resolveSuite } from "./resolveSuite.ts"
import { refusedSuite } from "./refusedSuite.ts"
import { signalsSuite } from "./signalsSuite.ts"
import { httpSuite } from "./suite.ts"

httpSuite("memory", () => start(Memory.layer))
auditSuite("memory", () => start(Memory.layer))
resolveSuite("memory", () => start(Memory.layer))
signalsSuite("memory", () => start(Memory.layer))
refusedSuite("memory", () => start(Memory.layer))
