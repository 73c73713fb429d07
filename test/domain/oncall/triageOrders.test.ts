import { assert, describe, inject, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { fires, type Post, recovers, scene, service, source } from "./TriageScene.ts"
import { isLong } from "../../support/Long.ts"

/** `a+1`: a fires at minute 1; `a-2`: a recovers at minute 2. */
type Event = `${Name}${"+" | "-"}${number}`
type Name = "a" | "b" | "c" | "d"

const spots = {
  a: { service: "checkout", environment: null },
  b: { service: "checkout", environment: null },
  c: { service: "checkout", environment: "prod" },
  d: { service: "search", environment: null }
} as const
const services = [service(1, "checkout"), service(2, "search")]
const sources = [source(1, "grafana", services)]

const isFiring = (event: Event) => event.includes("+")
const nameOf = (event: Event) => event[0] as Name
const timeOf = (event: Event) => Number(event.slice(2))

const newest = (times: ReadonlyArray<number>) => Math.max(-1, ...times)

/** Names that fire in the end: the last firing is after the last recovery. */
const firing = (events: ReadonlyArray<Event>): ReadonlyArray<Name> =>
  (Object.keys(spots) as Array<Name>).filter((name) => {
    const own = events.filter((event) => nameOf(event) === name)
    const [fired, recovered] = [true, false].map((kind) => own.filter((event) => isFiring(event) === kind).map(timeOf))
    return newest(fired ?? []) > newest(recovered ?? [])
  })

const spotOf = (name: Name) => `${spots[name].service} ${spots[name].environment}`

interface Cut {
  /** Minutes since the previous delivery. */
  readonly gap: number
  readonly endsBatch: boolean
  readonly isCritical: boolean
}

/** Each event is its own delivery, triaged together with the others of its batch. */
const deliver = (events: ReadonlyArray<Event>, cuts: ReadonlyArray<Cut>) => {
  const one = scene({ services, sources })
  let minute = 0
  let batch: Array<Post> = []
  for (const [index, event] of events.entries()) {
    const { endsBatch, gap, isCritical } = cuts[index] ?? { gap: 1, endsBatch: true, isCritical: false }
    const said = { at: timeOf(event), ...spots[nameOf(event)] }
    minute += gap
    batch.push([
      minute,
      isFiring(event)
        ? fires(nameOf(event), { ...said, severity: isCritical ? "critical" : "high" })
        : recovers(nameOf(event), said)
    ])
    if (endsBatch || index === events.length - 1) {
      one.batch(...batch)
      batch = []
    }
  }
  const serviceNames = new Map(services.map(({ id, name }) => [id, name]))
  return {
    firing: one
      .alerts()
      .filter(({ status }) => status === "firing")
      .map(({ fingerprint }) => fingerprint)
      .sort(),
    open: one
      .incidents()
      .filter(({ status }) => status === "open")
      .map((incident) => `${serviceNames.get(incident.service)} ${incident.environment}`)
      .sort()
  }
}

const expected = (events: ReadonlyArray<Event>) => {
  const names = firing(events)
  return { firing: [...names].sort(), open: [...new Set(names.map(spotOf))].sort() }
}

const permutations = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  items.length <= 1
    ? [items]
    : items.flatMap((item, index) =>
        permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest])
      )

const cut: FastCheck.Arbitrary<Cut> = FastCheck.record({
  gap: FastCheck.constantFrom(0, 1, 4, 9, 11, 30),
  endsBatch: FastCheck.boolean(),
  isCritical: FastCheck.boolean()
})

/** All orders in the long form; every seventh of many in the short one. */
const some = <A>(orders: ReadonlyArray<A>) =>
  orders.filter((_, index) => inject("full") || orders.length <= 120 || index % 7 === 0)

describe("whatever order they are delivered in, and however they are batched, the same timed events end alike", () => {
  it.each([
    "a+1",
    "a+1 a-2",
    "a+1 a-1",
    "a-1 a+2",
    "a+1 a-2 a+3",
    "a+1 a-2 a+3 a-4",
    "a+1 a-2 a+2 a-3",
    "a+1 a+2 a-2 a+3 a-3",
    "a+1 a-2 a+3 a-4 a+5",
    "a+1 a+1 a-2 a-2 a+3",
    "a+1 b+2 a-3 b-4",
    "a+1 b+2 a-3 b-4 a+5",
    "a+1 b+2 a-3 b-4 a+5 b+6",
    "a+1 a-2 a+3 b+1 b-2 b-3",
    "a+1 c+1 d+1 a-2 c-2",
    "a+1 b+1 c+1 a-1 b-2 c+2"
  ])("%s", (text) => {
    const events = text.split(" ") as Array<Event>
    const end = expected(events)
    const orders = some(permutations(events))
    const cuts = FastCheck.sample(FastCheck.array(cut, { minLength: 6, maxLength: 6 }), {
      numRuns: orders.length,
      seed: 7
    })
    for (const [index, order] of orders.entries()) {
      assert.deepStrictEqual(deliver(order, []), end, order.join(" "))
      assert.deepStrictEqual(
        deliver(order, cuts[index] ?? []),
        end,
        `${order.join(" ")} ${JSON.stringify(cuts[index])}`
      )
    }
  })

  it("of any number", () => {
    const event = FastCheck.tuple(
      FastCheck.constantFrom<Name>("a", "b", "c", "d"),
      FastCheck.constantFrom("+" as const, "-" as const),
      FastCheck.nat(6)
    ).map(([name, sign, minute]): Event => `${name}${sign}${minute}`)
    const stories = FastCheck.array(event, { minLength: 1, maxLength: 14 }).chain((events) =>
      FastCheck.tuple(
        FastCheck.shuffledSubarray(events, { minLength: events.length }),
        FastCheck.array(cut, { minLength: events.length, maxLength: events.length })
      )
    )
    FastCheck.assert(
      FastCheck.property(stories, ([order, cuts]) => assert.deepStrictEqual(deliver(order, cuts), expected(order))),
      inject("full") ? { numRuns: 20_000 } : { numRuns: isLong ? 300 : 60, seed: 7 }
    )
  })
})
