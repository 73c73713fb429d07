import { Logger, LogLevel } from "effect"

/** Collects a service's error log, unchanged. */
export const errorLog = () => {
  const errors: Array<string> = []
  const logger = Logger.make(({ cause, logLevel, message }) => {
    if (LogLevel.greaterThanEqual(logLevel, LogLevel.Error)) errors.push(`${String(message)} ${String(cause)}`)
  })
  return { errors, layer: Logger.add(logger) }
}
