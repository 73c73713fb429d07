import * as Memory from "../../adapters/memory/Memory.ts"
import { start } from "../support/World.ts"
import { httpSuite } from "./suite.ts"

httpSuite("memory", () => start(Memory.layer))
