import { Worker } from "node:worker_threads"
import { assert, inject } from "vitest"
import * as Seed from "../support/Seed.ts"
import { signed, source } from "../support/Source.ts"
import { ask } from "../support/World.ts"
import type { Town } from "./Town.ts"

const [samples, noisy] = inject("full") ? [110, 128] : [8, 24]

/** Milliseconds between the requests of a client that asks now and then. */
const pace = inject("full") ? 100 : 1

/** How long the slowest but one in twenty took, in milliseconds. */
const slowOf = (times: ReadonlyArray<number>) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

const timed = async (use: () => Promise<unknown>) => {
  const times: Array<number> = []
  for (let turn = 0; turn < samples; turn++) {
    const before = performance.now()
    await use()
    times.push(performance.now() - before)
  }
  return slowOf(times)
}

/** So many at once, again and again, until the other is done. */
const amid = async <A>(noise: () => Promise<unknown>, use: () => Promise<A>): Promise<A> => {
  let isOver = false
  const makers = Array.from({ length: noisy }, async () => {
    while (!isOver) await noise()
  })
  try {
    return await use()
  } finally {
    isOver = true
    await Promise.all(makers)
  }
}

/** How long others take while one token asks far too much, and while one source floods. */
export const amidNoise = async ({ at, services }: Town) => {
  const [url = ""] = services.urls()
  const [loud, quiet] = [await at.run(source()), await at.run(source())]
  const tokenOf = async (slug: typeof loud.slug) => (await at.run(Seed.token(slug))).value
  const [loudToken, quietToken] = [await tokenOf(loud.slug), await tokenOf(quiet.slug)]
  const shout = () => ask(url, "/v1/decisions", { token: loudToken })
  const flood = () => {
    const body = JSON.stringify({ title: "Loud", fingerprint: crypto.randomUUID() })
    return ask(url, loud.path, { method: "POST", body, headers: signed(loud.secret, body) })
  }
  const read = async () => {
    const answer = await ask(url, "/v1/decisions", { token: quietToken })
    assert.strictEqual(answer.status, 200, answer.text)
  }
  const deliver = async () => {
    const body = JSON.stringify({ title: "Quiet", fingerprint: crypto.randomUUID() })
    const answer = await ask(url, quiet.path, { method: "POST", body, headers: signed(quiet.secret, body) })
    assert.strictEqual(answer.status, 202, answer.text)
  }
  const reading = await amid(shout, () => timed(read))
  const delivering = await amid(flood, () => timed(deliver))
  return { reading, delivering, noisy }
}

/** Guesses in a thread of its own, so that the others' clients do not wait for it: `noisy` at once, again and again. */
const guesser = `
  const { parentPort, workerData } = require("node:worker_threads")
  const http = require("node:http")
  const { randomUUID } = require("node:crypto")
  const { host, port, noisy, isToken } = workerData
  const agent = new http.Agent({ keepAlive: true })
  const random = () => randomUUID().replaceAll("-", "")
  let isOver = false
  let sent = 0
  const guess = () => {
    if (isOver) return
    sent++
    const how = isToken
      ? { path: "/v1/decisions", headers: { authorization: "Bearer tk_" + random() } }
      : { path: "/signals/" + random(), method: "POST" }
    const request = http.request({ host, port, agent, localAddress: "127.0.0.2", ...how }, (response) => response.resume().on("end", guess))
    request.on("error", () => setImmediate(guess))
    request.end(isToken ? undefined : "{}")
  }
  for (let client = 0; client < noisy; client++) guess()
  parentPort.on("message", () => {
    isOver = true
    parentPort.postMessage(sent)
    setTimeout(() => process.exit(), 100)
  })`

const amidGuesses = async <A>(url: string, isToken: boolean, use: () => Promise<A>) => {
  const { hostname: host, port } = new URL(url)
  const worker = new Worker(guesser, { eval: true, workerData: { host, port, noisy, isToken } })
  await new Promise((resolve) => worker.once("online", resolve))
  const used = await use()
  const sent = new Promise<number>((resolve) => worker.once("message", resolve))
  worker.postMessage("end")
  return { used, sent: await sent }
}

/** How long others take, first alone and then while random tokens, and random addresses of sources, are tried. */
export const amidGuessing = async ({ at, services }: Town) => {
  const [url = ""] = services.urls()
  const mine = await at.run(source())
  const [first = "", second = ""] = await Promise.all(
    [0, 1].map(async () => (await at.run(Seed.token(mine.slug))).value)
  )
  const read = (token: string) => async () => {
    const answer = await ask(url, "/v1/decisions?limit=5", { token })
    assert.strictEqual(answer.status, 200, answer.text)
    await new Promise((resolve) => setTimeout(resolve, pace))
  }
  const deliver = async () => {
    const body = JSON.stringify({ title: "Quiet", fingerprint: crypto.randomUUID() })
    const answer = await ask(url, mine.path, { method: "POST", body, headers: signed(mine.secret, body) })
    assert.strictEqual(answer.status, 202, answer.text)
    await new Promise((resolve) => setTimeout(resolve, pace))
  }
  await deliver()
  await read(second)()
  const measured = async (isToken: boolean, alone: () => Promise<void>, use: () => Promise<void>) => {
    const quiet = (await timed(alone)) - pace
    const { sent, used } = await amidGuesses(url, isToken, () => timed(use))
    return { quiet, amid: used - pace, sent }
  }
  return {
    reading: await measured(true, read(first), read(second)),
    delivering: await measured(false, deliver, deliver),
    noisy
  }
}
