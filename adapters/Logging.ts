import { Effect, Layer, Logger, LogLevel } from "effect"
import * as Settings from "./Settings.ts"

const levels = { debug: LogLevel.Debug, info: LogLevel.Info, warn: LogLevel.Warning, error: LogLevel.Error }

/** Logs go to stderr, so that stdout holds only the output of commands. */
export const layer = Layer.merge(
  Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger)),
  Layer.unwrapEffect(Effect.map(Settings.logLevel, (level) => Logger.minimumLogLevel(levels[level])))
)
