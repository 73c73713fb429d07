import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Folders whose tests start many programs. */
const many = /\/test\/(codehost|tracker|runner|github)\//

/** Runs tests that start programs first: a fork takes time in proportion to the memory of its worker, which grows. */
export class Sequencer extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    const isEarly = ({ moduleId }: TestSpecification) => many.test(moduleId)
    return [...sorted.filter(isEarly), ...sorted.filter((file) => !isEarly(file))]
  }
}
