import { type Operation, operations, type Parameter, parametersOf } from "../openapi/Published.ts"
import * as Hostile from "./Hostile.ts"
import { inAddress } from "./Requests.ts"
import type { Scene } from "./Scene.ts"
import { bytesOf, type Request } from "./Wire.ts"

/** Values to try for each parameter, by its schema. */
const triedWith = ({ name, schema }: Parameter): ReadonlyArray<string> => {
  if (schema.type === "integer") return [...Hostile.texts, ...Hostile.numbers]
  return name === "from" || name === "to" ? [...Hostile.texts, ...Hostile.dates] : Hostile.texts
}

const fields = ["optionId", "note", "more"]
const odd: ReadonlyArray<unknown> = [null, true, -1, 1e308, [], {}, [null], { a: { b: [] } }, ...Hostile.texts]
const answers = fields.flatMap((field) => odd.map((value) => JSON.stringify({ optionId: "yes", [field]: value })))

/** More than any operation accepts. */
const tooLarge = "x".repeat(600_000)

/** Every parameter of every operation and every field of a body with every hostile value, the rest being valid. */
export const sweep = ({ keys, tokens }: Scene): ReadonlyArray<Request> => {
  const trusted = tokens.valid.slice(0, 2).flat()
  let turn = 0
  const asked = (route: string, operation: Operation, tried: Parameter | null, value: string): Request => {
    const [method = "GET", template = "/"] = route.split(" ")
    const path = parametersOf(operation)
      .filter((parameter) => parameter.in === "path")
      .reduce((text, parameter) => {
        const given = parameter === tried ? inAddress(value, false) : (keys[parameter.name]?.at(-1) ?? "x")
        return text.replace(`{${parameter.name}}`, () => given)
      }, template)
    const body = Buffer.from(tried === null ? value : operation.requestBody === undefined ? "" : '{"optionId":"yes"}')
    return {
      method,
      target: tried?.in === "query" ? `${path}?${tried.name}=${inAddress(value, false)}` : path,
      version: "HTTP/1.1",
      headers: [
        ["host", "sweep"],
        ["authorization", `Bearer ${trusted[turn++ % trusted.length]}`],
        ...(tried?.in === "header" ? [[tried.name, bytesOf(value)] as const] : [])
      ],
      body,
      framing: body.length === 0 ? "none" : "length",
      manner: "at once",
      mayBeUnavailable: false
    }
  }
  return [...operations].flatMap(([route, operation]) => [
    asked(route, operation, null, tooLarge),
    ...parametersOf(operation).flatMap((parameter) =>
      triedWith(parameter).map((value) => asked(route, operation, parameter, value))
    ),
    ...(operation.operationId === "resolveDecision" ? answers.map((body) => asked(route, operation, null, body)) : [])
  ])
}
