import { Worker } from "node:worker_threads"
import { assert, inject } from "vitest"
import * as Seed from "../support/Seed.ts"
import { signed, source } from "../support/Source.ts"
import { type Answer, ask } from "../support/World.ts"
import type { Pair } from "./Disturbance.ts"

const [samples, noisy, rounds] = inject("full") ? [60, 128, 5] : [8, 24, 1]

/** Milliseconds between the requests of a client that asks now and then. */
const pace = inject("full") ? 100 : 1

/** How long the slowest but one in twenty took, in milliseconds. */
const slowOf = (times: ReadonlyArray<number>) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

const timed = async (use: () => Promise<unknown>): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  for (let turn = 0; turn < samples; turn++) {
    const before = performance.now()
    await use()
    times.push(performance.now() - before)
    await new Promise((resolve) => setTimeout(resolve, pace))
  }
  return times
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
export const amidNoise = async ({ at, services }: Pair) => {
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
  const reading = slowOf(await amid(shout, () => timed(read)))
  const delivering = slowOf(await amid(flood, () => timed(deliver)))
  return { reading, delivering, noisy }
}

/** Guesses in a thread of its own, so that the others' clients do not wait for it: `noisy` at once, again and again. */
const guesser = `
  const { parentPort, workerData } = require("node:worker_threads")
  const http = require("node:http")
  const { randomUUID } = require("node:crypto")
  const { host, port, noisy, isToken, localAddress } = workerData
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
    const request = http.request({ host, port, agent, localAddress, ...how }, (response) => response.resume().on("end", guess))
    request.on("error", () => setImmediate(guess))
    request.end(isToken ? undefined : "{}")
  }
  for (let client = 0; client < noisy; client++) guess()
  parentPort.on("message", () => {
    isOver = true
    parentPort.postMessage(sent)
    setTimeout(() => process.exit(), 100)
  })`

const amidGuesses = async <A>(url: string, isToken: boolean, localAddress: string, use: () => Promise<A>) => {
  const { hostname: host, port } = new URL(url)
  const worker = new Worker(guesser, { eval: true, workerData: { host, port, noisy, isToken, localAddress } })
  await new Promise((resolve) => worker.once("online", resolve))
  const used = await use()
  const sent = new Promise<number>((resolve) => worker.once("message", resolve))
  worker.postMessage("end")
  return { used, sent: await sent }
}

/** How long others take, first alone and then while random tokens, and random addresses of sources, are tried. */
export const amidGuessing = async ({ at, services }: Pair) => {
  const [url = ""] = services.urls()
  const mine = await at.run(source())
  /** Asks again after a 503, so that the time until an answer counts. */
  const insist = async (expected: number, send: () => Promise<Answer>) => {
    let answer = await send()
    while (answer.status === 503) answer = await send()
    assert.strictEqual(answer.status, expected, answer.text)
  }
  const read = (token: string) => insist(200, () => ask(url, "/v1/decisions?limit=5", { token }))
  const deliver = () => {
    const body = JSON.stringify({ title: "Quiet", fingerprint: crypto.randomUUID() })
    return insist(202, () => ask(url, mine.path, { method: "POST", body, headers: signed(mine.secret, body) }))
  }
  await deliver()
  const tokens = Array.from({ length: 2 * rounds }, () => at.run(Seed.token(mine.slug)))
  /** Alone and amid guesses by turns, each flood from an address of its own: a busy machine slows both alike. */
  const measured = async (isToken: boolean, use: (turn: number) => Promise<void>) => {
    const [quiet, amid]: [Array<number>, Array<number>] = [[], []]
    let guesses = 0
    for (let round = 0; round < rounds; round++) {
      await use(2 * round)
      quiet.push(...(await timed(() => use(2 * round))))
      await use(2 * round + 1)
      const from = `127.0.${isToken ? 1 : 2}.${round + 2}`
      const { sent, used } = await amidGuesses(url, isToken, from, () => timed(() => use(2 * round + 1)))
      amid.push(...used)
      guesses += sent
    }
    return { quiet: slowOf(quiet), amid: slowOf(amid), sent: guesses }
  }
  return {
    reading: await measured(true, async (turn) => read((await tokens[turn])?.value ?? "")),
    delivering: await measured(false, deliver),
    noisy
  }
}
