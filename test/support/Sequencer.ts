import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Folders whose tests start many programs. */
const many = /\/test\/(codehost|tracker|runner|github)\//

/** Small files that define many tests, which would keep one worker busy after all others are done. */
const long = /\/test\/(contract\/adapters|http\/memory)\.test\.ts$/

const rankOf = ({ moduleId }: TestSpecification) => (many.test(moduleId) ? 0 : long.test(moduleId) ? 1 : 2)

/** Runs tests that start programs first: a fork takes time in proportion to the memory of its worker, which grows. */
export class Sequencer extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    return (await super.sort(files)).toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}
