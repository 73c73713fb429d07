// @effect-diagnostics processEnv:off
import { alertsOf, incidentsOf } from "../support/OnCall.ts"
import { DateTime, Effect } from "effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, it } from "vitest"
import { tools } from "../../adapters/alerting/Tools.ts"
import { canRun } from "../support/Optional.ts"
import { ownPort } from "../support/Port.ts"
import { source } from "../support/Source.ts"
import { ask } from "../support/World.ts"
import { type Station, station } from "../support/Station.ts"

const program = (process.env["PATH"] ?? "")
  .split(":")
  .flatMap((folder) => ["prometheus-alertmanager", "alertmanager"].map((name) => join(folder, name)))
  .find((file) => existsSync(file))

let at: Station
beforeAll(async () => {
  at = await station()
})
afterAll(() => at.close())

it("a real Alertmanager, set up by the printed steps, delivers an alert and its recovery", async ({ skip, task }) => {
  const missing = "Alertmanager is not installed (Debian: prometheus-alertmanager)"
  if (!canRun(program !== undefined, missing) || program === undefined) return skip(missing)
  const { path, secret, workspace } = await at.run(source("alertmanager"))
  const { service, url } = await at.serve()
  const steps = tools.alertmanager.setup({ url: `${url}${path}`, secret })
  const block = steps.slice(steps.indexOf("receivers:"), steps.indexOf("", steps.indexOf("receivers:")))
  const folder = at.folder()
  mkdirSync(folder)
  const config = join(folder, "alertmanager.yml")
  const route = ["route:", "  receiver: gatehouse", "  group_wait: 0s", "  group_interval: 1s", "  repeat_interval: 1h"]
  writeFileSync(config, [...route, ...block, ""].join("\n"))
  const port = await ownPort()
  const manager = at.launch(program, [
    `--config.file=${config}`,
    `--storage.path=${folder}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--cluster.listen-address="
  ])

  const tell = async (more: object) => {
    const alert = {
      labels: { alertname: "CheckoutDown", severity: "critical", environment: "production" },
      annotations: { summary: "Checkout answers 5xx" },
      ...more
    }
    const headers = { "content-type": "application/json" }
    const body = JSON.stringify([alert])
    const sent = await ask(`http://127.0.0.1:${port}`, "/api/v2/alerts", { method: "POST", headers, body }).catch(
      () => null
    )
    return sent?.status === 200
  }
  const seen = async (
    what: string,
    isSo: (alert: Record<string, unknown>, incident: Record<string, unknown>) => boolean
  ) => {
    const until = performance.now() + 60_000
    for (;;) {
      const [alerts, incidents] = await at.run(Effect.all([alertsOf(workspace), incidentsOf(workspace)]))
      const [alert = {}, incident = {}] = [alerts[0], incidents[0]].map((json) => JSON.parse(json ?? "{}"))
      if (isSo(alert, incident)) return { alert, incident }
      if (performance.now() > until)
        throw new Error(`not ${what}: ${JSON.stringify({ alert, incident })} ${manager.err()}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const began = performance.now()
  while (!(await tell({}))) {
    if (performance.now() - began > 60_000) throw new Error(`Alertmanager does not start: ${manager.err()}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  const { alert, incident } = await seen("firing", (one) => one["status"] === "firing")
  assert.include(alert, {
    title: "Checkout answers 5xx",
    severity: "critical",
    environment: "production",
    reason: "opened"
  })
  assert.include(incident, { status: "open", service: "checkout", title: "Checkout answers 5xx" })
  const now = DateTime.formatIso(await at.run(DateTime.now))
  assert.isTrue(await tell({ startsAt: alert["startedAt"], endsAt: now }))
  await seen("resolved", (one, other) => one["status"] === "resolved" && other["status"] === "resolved")
  manager.signal("SIGTERM")
  service.signal("SIGTERM")
  task.meta.figures = `firing and resolved within ${((performance.now() - began) / 1000).toFixed(1)} s`
}, 120_000)
