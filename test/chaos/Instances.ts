import type { Program, Settings } from "../support/Process.ts"
import type { Station } from "../support/Station.ts"

/** Services side by side on one database, each of which can be stopped and restarted. */
export const instances = async (at: Station, settings: ReadonlyArray<Settings> = [{}, {}]) => {
  const running: Array<{ service: Program; url: string }> = await Promise.all(settings.map((one) => at.serve(one)))
  const begin = async (index: number) => {
    running[index] = await at.serve(settings[index])
  }
  const end = async (index: number, signal: "SIGKILL" | "SIGTERM") => {
    const one = running[index]
    if (one === undefined) throw new RangeError(`there is no instance ${index}`)
    one.service.signal(signal)
    const { code } = await one.service.ended()
    await at.gone(one.service)
    return { code }
  }
  return {
    urls: () => running.map(({ url }) => url),
    begin,
    end,
    again: async (index: number, signal: "SIGKILL" | "SIGTERM") => {
      const ended = await end(index, signal)
      await begin(index)
      return ended
    },
    close: () => Promise.all(running.map((_, index) => end(index, "SIGTERM")))
  }
}
export type Instances = Awaited<ReturnType<typeof instances>>
