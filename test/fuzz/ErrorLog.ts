import { Logger, LogLevel } from "effect"

/** What a service says at error level, as it says it. */
export const errorLog = () => {
  const errors: Array<string> = []
  const logger = Logger.make(({ cause, logLevel, message }) => {
    if (LogLevel.greaterThanEqual(logLevel, LogLevel.Error)) errors.push(`${String(message)} ${String(cause)}`)
  })
  return { errors, layer: Logger.add(logger) }
}
