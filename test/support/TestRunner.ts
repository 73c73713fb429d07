import { VitestTestRunner } from "vitest/runners"

/** Reports no import times: with each file it would send those of all modules that its worker ever loaded. */
export default class TestRunner extends VitestTestRunner {
  override getImportDurations = () => ({})
}
