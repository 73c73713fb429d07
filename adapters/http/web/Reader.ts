import { createContext } from "preact"
import { useContext } from "preact/hooks"
import { DateTime, Option } from "effect"

/** Everything about the person who reads a page that its words depend on. */
export interface Reader {
  readonly now: DateTime.Utc
  readonly zone: DateTime.TimeZone.Named
  readonly theme: "light" | "dark" | null
  /** False when the person switched single-key shortcuts off. */
  readonly hasKeys: boolean
}

const utc = DateTime.zoneUnsafeMakeNamed("UTC")

export const cookies = { theme: "gatehouse-theme", zone: "gatehouse-zone", keys: "gatehouse-keys" }

/** Reads the cookies of a request; unknown values count as not given. */
export const readerOf = (given: Readonly<Record<string, string>>, now: DateTime.Utc): Reader => {
  const theme = given[cookies.theme]
  return {
    now,
    zone: Option.getOrElse(DateTime.zoneMakeNamed((given[cookies.zone] ?? "UTC").slice(0, 64)), () => utc),
    theme: theme === "light" || theme === "dark" ? theme : null,
    hasKeys: given[cookies.keys] !== "off"
  }
}

export const ReaderContext = createContext<Reader>(readerOf({}, DateTime.unsafeMake(0)))

export const useReader = (): Reader => useContext(ReaderContext)
