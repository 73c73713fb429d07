import { assert, inject } from "vitest"
import * as Seed from "../support/Seed.ts"
import { signed, source } from "../support/Source.ts"
import { ask } from "../support/World.ts"
import type { Town } from "./Town.ts"

const [samples, noisy] = inject("full") ? [110, 128] : [8, 24]

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

/** How long others take, first alone and then while random tokens, and random addresses of sources, are tried. */
export const amidGuessing = async ({ at, services }: Town) => {
  const [url = ""] = services.urls()
  const mine = await at.run(source())
  const tokens = await Promise.all([0, 1].map(async () => (await at.run(Seed.token(mine.slug))).value))
  const random = () => crypto.randomUUID().replaceAll("-", "")
  const guesser = "127.0.0.2"
  const guessToken = () => ask(url, "/v1/decisions", { token: `tk_${random()}`, localAddress: guesser })
  const guessSource = () => ask(url, `/signals/${random()}`, { method: "POST", body: "{}", localAddress: guesser })
  const read =
    (token = "") =>
    async () => {
      const answer = await ask(url, "/v1/decisions?limit=5", { token })
      assert.strictEqual(answer.status, 200, answer.text)
    }
  const deliver = async () => {
    const body = JSON.stringify({ title: "Quiet", fingerprint: crypto.randomUUID() })
    const answer = await ask(url, mine.path, { method: "POST", body, headers: signed(mine.secret, body) })
    assert.strictEqual(answer.status, 202, answer.text)
  }
  const reading = { quiet: await timed(read(tokens[0])), amid: await amid(guessToken, () => timed(read(tokens[1]))) }
  const delivering = { quiet: await timed(deliver), amid: await amid(guessSource, () => timed(deliver)) }
  return { reading, delivering, noisy }
}
