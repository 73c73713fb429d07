import { FastCheck } from "effect"
import { type Operation, operations, type Parameter, parametersOf } from "../openapi/Published.ts"
import * as Headers from "./Headers.ts"
import * as Hostile from "./Hostile.ts"
import * as Neighbour from "./Neighbour.ts"
import type { Scene } from "./Scene.ts"
import * as McpWire from "./McpWire.ts"
import * as RunnerWire from "./RunnerWire.ts"
import * as Signals from "./Signals.ts"
import { bytesOf, type Framing, type Manner, type Request } from "./Wire.ts"

type Arbitrary<A> = FastCheck.Arbitrary<A>

const { constant, constantFrom, oneof, record, tuple } = FastCheck

/** Picks by weight. */
const mixed = <A>(...parts: ReadonlyArray<readonly [weight: number, arbitrary: Arbitrary<A>]>): Arbitrary<A> =>
  oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })))

/** Encodes text as a browser would, or leaves more of it raw than is allowed. */
export const inAddress = (text: string, isRaw: boolean): string =>
  isRaw ? bytesOf(text) : encodeURIComponent(Buffer.from(text).toString()).replaceAll("'", "%27")

/** Flips one bit of one character. */
export const flip = (text: string, place: number, bit: number): string => {
  const at = place % text.length
  return text.slice(0, at) + String.fromCodePoint((text.codePointAt(at) ?? 0) ^ (1 << bit)) + text.slice(at + 1)
}

/** Cursors of this and other lists, of the neighbour, and with a flipped bit. */
const cursor = ({ neighbour, pages }: Scene): Arbitrary<string> => {
  const real = constantFrom(...pages.map((page) => page.cursor), ...neighbour.cursors)
  const flipped = tuple(real, FastCheck.nat(300), FastCheck.nat(6)).map(([text, place, bit]) => flip(text, place, bit))
  return mixed([3, real], [3, flipped], [1, tuple(real, real).map(([one, two]) => one.slice(0, 30) + two.slice(30))])
}

/** Valid values of a parameter, by its schema and its name. */
const good = (scene: Scene, { name, schema }: Parameter): Arbitrary<string> => {
  if (schema.enum !== undefined) return constantFrom(...schema.enum)
  if (schema.type === "integer") return constantFrom("1", "2", "25", "100", "1000")
  if (schema.type === "boolean") return constantFrom("true", "false")
  if (name === "cursor") return cursor(scene)
  if (name === "from" || name === "to") return constantFrom("2020-01-01", "2026-11-01T10:00:00Z", "2030-12-31")
  if (name === "event") return constantFrom("decision_resolved", "token_created", "Signal received")
  const theirs = Neighbour.keys[name as keyof typeof Neighbour.keys] ?? []
  return constantFrom(...(scene.keys[name] ?? ["x"]), ...theirs)
}

const value = (scene: Scene, parameter: Parameter) =>
  tuple(mixed([3, good(scene, parameter)], [2, Hostile.text]), mixed([12, constant(false)], [1, constant(true)]))

const query = (scene: Scene, parameters: ReadonlyArray<Parameter>): Arbitrary<string> => {
  const given = parameters.map((parameter) =>
    mixed(
      [50, constant("")],
      [40, value(scene, parameter).map(([text, isRaw]) => `${parameter.name}=${inAddress(text, isRaw)}`)],
      [
        2,
        tuple(value(scene, parameter), value(scene, parameter)).map(([[one], [two]]) =>
          [one, two].map((text) => `${parameter.name}=${inAddress(text, false)}`).join("&")
        )
      ]
    )
  )
  const odd = constantFrom("x=1", "&&", "=", "%", "limit", "limit[]=1", "__proto__=1", "toString=1", "?", "#x", "+")
  return tuple(tuple(...given), mixed([12, constant("")], [1, odd])).map(([some, more]) => {
    const all = [...some, more].filter((one) => one !== "").join("&")
    return all === "" ? "" : `?${all}`
  })
}

const path = (scene: Scene, template: string, parameters: ReadonlyArray<Parameter>): Arbitrary<string> => {
  const names = parameters.filter((parameter) => parameter.in === "path")
  const filled = tuple(...names.map((parameter) => value(scene, parameter))).map((values) =>
    names.reduce((text, { name }, index) => {
      const [given, isRaw] = values[index] ?? ["", false]
      return text.replace(`{${name}}`, () => inAddress(given, isRaw))
    }, template)
  )
  const tricky = tuple(filled, constantFrom(...Hostile.pathTricks)).map(([text, trick]) => trick(text))
  return mixed([12, filled], [1, tricky])
}

const answer = mixed(
  [5, constantFrom('{"optionId":"yes"}', '{"optionId":"no","note":"Go \u{1f600}"}', '{"optionId":"maybe"}')],
  [3, Hostile.spoiled({ optionId: "yes", note: "Go" })]
)

/** The body for an operation; operations without a body get one too. */
const body = (operation: Operation): Arbitrary<Buffer> =>
  operation.requestBody === undefined
    ? mixed([30, constant(Buffer.alloc(0))], [1, Hostile.bodies("{}")])
    : mixed([4, answer.map((text) => Buffer.from(text))], [1, Hostile.bodies('{"optionId":"yes","note":null}')])

/** Framing of a body, present or not. */
const framing = tuple(
  mixed<Framing>([20, constant("none")], [1, constantFrom("length", "chunked", "too long")]),
  mixed<Framing>(
    [12, constant("length")],
    [4, constantFrom("chunked", "odd chunks")],
    [1, constantFrom("too short", "too long", "both", "none")]
  )
)

const manner = mixed<Manner>(
  [600, constant("at once")],
  [80, constant("in pieces")],
  [80, constant("pipelined")],
  [20, constantFrom("half closed", "hung up")],
  [16, constantFrom("slow to read", "cut off")],
  [1, constant("slowly")]
)

const version = mixed([60, constant("HTTP/1.1")], [1, constantFrom("HTTP/1.0", "HTTP/2.0", "HTTP/1.9", "http/1.1", "")])

const ordinary = (scene: Scene, route: string, operation: Operation): Arbitrary<Request> => {
  const [own = "GET", template = "/"] = route.split(" ")
  const parameters = parametersOf(operation)
  const inQuery = parameters.filter((parameter) => parameter.in === "query")
  const named = parameters.filter((parameter) => parameter.in === "header")
  return record({
    method: mixed([15, constant(own)], [1, constantFrom(...Hostile.methods)]),
    path: path(scene, template, parameters),
    query: query(scene, inQuery),
    version,
    headers: Headers.all(scene, named),
    manner,
    body: body(operation),
    framing
  }).map(({ framing: [empty, some], path: at, query: asked, ...rest }) => ({
    ...rest,
    target: `${at}${asked}`,
    framing: rest.body.length === 0 ? empty : some,
    mayBeUnavailable: false
  }))
}

/** Exports are long, so the other routes are drawn more often. */
const weightOf = (route: string) => (route.endsWith("/export") ? 1 : route.endsWith("/resolve") ? 12 : 4)

const wires = {
  runner: (scene: Scene) => RunnerWire.call(scene, manner, version),
  mcp: (scene: Scene) => McpWire.request(scene, manner, version)
}

/** A wire that is tried alone; null for a name that there is not. */
export const wireOf = (name: string) => (name === "runner" || name === "mcp" ? wires[name] : null)

/** Every operation of the document, every route of runners and every tool of agents, each with unexpected input. */
export const request = (scene: Scene): Arbitrary<Request> =>
  mixed(
    [40, wires.runner(scene)] as const,
    [30, wires.mcp(scene)] as const,
    ...[...operations].map(([route, operation]) =>
      route.endsWith("/signals/{source}")
        ? ([10, Signals.delivery(scene, route, manner, version)] as const)
        : ([weightOf(route), ordinary(scene, route, operation)] as const)
    )
  )
