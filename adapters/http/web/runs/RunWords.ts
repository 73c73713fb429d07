import type { RunStatus, Stage } from "../../../../domain/work/Run.ts"
import type { IconName } from "../components/Icon.tsx"

type Tone = "" | "wait" | "run" | "ok" | "warn" | "bad" | "line"

/** States of a run as an icon, a tone and words. */
export const states: Readonly<Record<RunStatus, readonly [icon: IconName, tone: Tone, words: string]>> = {
  queued: ["clock", "line", "Queued"],
  running: ["run", "run", "Running"],
  waiting: ["person", "wait", "Waits for a person"],
  succeeded: ["check", "ok", "Succeeded"],
  failed: ["x", "bad", "Failed"],
  timed_out: ["clock", "warn", "Timed out"],
  stopped: ["stop", "", "Stopped"]
}

export const stages: Readonly<Record<Stage, string>> = {
  planning: "Planning",
  implementing: "Implementing",
  verifying: "Verifying",
  handing_off: "Handing off",
  done: "Done"
}

/** Number of one of our own pull requests by its address; null for one on another host. */
export const ownPull = (base: string, url: string): number | null => {
  const path = new URL(url).pathname
  const number = path.startsWith(`${base}/pulls/`) ? path.slice(`${base}/pulls/`.length) : ""
  return /^[1-9]\d{0,8}$/.test(number) ? Number(number) : null
}
