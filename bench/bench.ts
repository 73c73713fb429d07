import { readFile, writeFile } from "node:fs/promises"
import { besideAlertmanager } from "./Alertmanager.ts"
import { besideRest, toolsBesideRest } from "./App.ts"
import { buildAll, built } from "./Building.ts"
import { codeHost } from "./CodeHost.ts"
import { chart } from "./report/Chart.ts"
import { databases, enter, start } from "./Contenders.ts"
import { counting } from "./Counting.ts"
import { rivals } from "./report/Figures.ts"
import { everyPage } from "./EveryPage.ts"
import { growth } from "./Growth.ts"
import { generator } from "./Load.ts"
import { sender } from "./Loading.ts"
import { machine } from "./Machine.ts"
import { ofExports, overTime } from "./Memory.ts"
import { full, type Plan, quick } from "./Plan.ts"
import { codeHostSection, pagesSection, replaced, report, scale, toolsSection } from "./report/Report.ts"
import type { Results } from "./report/Results.ts"
import { rounds } from "./Rounds.ts"
import * as Stage from "./Stage.ts"
import { starting } from "./Starting.ts"
import { count } from "./report/Table.ts"
import { checksOf, isMet } from "./Targets.ts"

const known = ["--quick", "--json", "--write", "--pages", "--tools", "--hooks"]
const given = process.argv.slice(2)
const unknown = given.filter((word) => !known.includes(word))
if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(" ")}; there is ${known.join(", ")}`)
const plan = given.includes("--quick") ? quick : full

const page = "docs/reports/benchmarks.md"

const say = (line: string) =>
  void process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(5)} s  ${line}\n`)

const measureOn = async (stage: Stage.Stage, { size }: Plan): Promise<Omit<Results, "starts" | "plan">> => {
  const generators = [generator(built.generator), generator(built.generator)] as const
  const send = sender(plan, generators[0])
  try {
    say(`filling: ${count(size.entries)} audit entries, ${count(size.rows)} rows`)
    const on = await databases(stage, size)
    say("counting statements")
    const statements = await counting(stage, plan, send, on)
    say("starting and warming up the services")
    const contenders = await enter(stage, plan, send, on)
    const figures = await rounds(stage, plan, send, contenders, say)
    for (const rival of rivals) await contenders[rival].close()
    const { ours } = contenders
    say("beside Alertmanager")
    const alertmanager = await besideAlertmanager(stage, plan, send, ours)
    say("pages of the app")
    const app = await besideRest(plan, send, ours)
    say("every page")
    const pages = await everyPage(stage, plan, send, ours, say)
    say("tools of agents")
    const tools = await toolsBesideRest(plan, send, ours)
    say("webhooks of the code host")
    const host = await codeHost(stage, plan, send, ours)
    say("growth")
    const grown = await growth(stage, plan, send, ours, generators[1])
    say("memory of exports")
    const exports = await ofExports(stage, plan, send, on.ours)
    say(`memory over ${plan.mixedSeconds} s`)
    const memory = await overTime(plan, send, ours)
    return {
      machine: machine(await stage.version()),
      figures,
      statements,
      alertmanager,
      growth: grown,
      app,
      pages,
      tools,
      codeHost: host,
      exports,
      memory
    }
  } finally {
    for (const one of generators) one.close()
  }
}

/** Does something on a stage that is taken down afterwards. */
const staged = async <A>(act: (stage: Stage.Stage) => Promise<A>): Promise<A> => {
  const stage = await Stage.open()
  const stop = () => void stage.close().finally(() => process.exit(1))
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop)
  try {
    return await act(stage)
  } finally {
    await stage.close()
  }
}

/** Tables of the pages, the tools and the code host alone. */
const partsAlone = () =>
  staged(async (stage) => {
    const load = generator(built.generator)
    try {
      say(`filling: ${count(plan.size.entries)} audit entries, ${count(plan.size.rows)} rows`)
      const { database } = await stage.create("ours", plan.size)
      const ours = await start(stage, "ours", database)
      // Tokens that are new to a service wait for each other; the warm-up must reach all of them.
      const send = sender({ ...plan, callers: Math.floor(plan.app.warmUp / 2) }, load)
      const note = scale({ plan, machine: machine(await stage.version()) })
      const sections: Array<ReturnType<typeof pagesSection>> = []
      if (given.includes("--pages")) {
        say("pages of the app")
        const app = await besideRest(plan, send, ours)
        say("every page")
        sections.push(pagesSection({ app, pages: await everyPage(stage, plan, send, ours, say) }, note))
      }
      if (given.includes("--tools")) {
        say("tools of agents")
        sections.push(toolsSection({ tools: await toolsBesideRest(plan, send, ours) }, note))
      }
      if (given.includes("--hooks")) {
        say("webhooks of the code host")
        sections.push(codeHostSection({ codeHost: await codeHost(stage, plan, send, ours) }, note))
      }
      if (given.includes("--write")) await writeFile(page, sections.reduce(replaced, await readFile(page, "utf8")))
      return sections.flat().join("\n")
    } finally {
      load.close()
    }
  })

const measure = async (): Promise<Results> => {
  say("starts")
  const starts = await starting(plan.starts)
  return { plan, starts, ...(await staged((stage) => measureOn(stage, plan))) }
}

const measureAll = async () => {
  const results = await measure()
  const text = report(results)
  if (plan.mode === "full" || given.includes("--write")) {
    await writeFile(page, text)
    await writeFile("docs/reports/benchmarks.svg", chart(results.figures))
  }
  const figures = results.figures.map((figure) => ({
    ...figure,
    targets: checksOf(figure).map((check) => ({ ...check, met: isMet(check) }))
  }))
  return given.includes("--json") ? JSON.stringify(figures, null, 2) : text
}

say("building")
await buildAll()
const isPart = ["--pages", "--tools", "--hooks"].some((part) => given.includes(part))
const printed = isPart ? await partsAlone() : await measureAll()
process.stdout.write(`${printed.trimEnd()}\n`)
