import { Schema } from "effect"
import { Line } from "../../../domain/value/Text.ts"

const Price = Schema.NonNegative

/** Dollars for a million tokens of a model. */
export const ModelPrice = Schema.Struct({
  input: Price,
  /** Tokens that the provider had in its cache. */
  cachedInput: Schema.optional(Price),
  output: Price
})

/** Rate and prices by which costs become euro cents. */
export const Prices = Schema.Struct({
  version: Line(100),
  eurPerUsd: Schema.Positive,
  models: Schema.Record({ key: Schema.String, value: ModelPrice })
})
export type Prices = typeof Prices.Type

/** Without RUNNER_PRICES a dollar counts as a euro, and no price of a model is known. */
export const parity: Prices = { version: "parity", eurPerUsd: 1, models: {} }

export interface Tokens {
  /** All input, with what the provider had in its cache. */
  readonly input: number
  readonly cachedInput: number
  readonly output: number
}

export const noTokens: Tokens = { input: 0, cachedInput: 0, output: 0 }

export const plus = (a: Tokens, b: Tokens): Tokens => ({
  input: a.input + b.input,
  cachedInput: a.cachedInput + b.cachedInput,
  output: a.output + b.output
})

/** Whole cents, rounded up: a cost is never reported as less than it is. */
export const centsOf = ({ eurPerUsd }: Prices, dollars: number): number =>
  Math.ceil(Number((dollars * eurPerUsd * 100).toFixed(6)))

/** A model may be named with a date or a suffix after its name in the table. */
const priceOf = ({ models }: Prices, model: string) => {
  const names = Object.keys(models).filter((name) => model === name || model.startsWith(`${name}-`))
  const [name] = names.toSorted((a, b) => b.length - a.length)
  return name === undefined ? undefined : models[name]
}

/** Dollars for tokens of a model; undefined when its price is not known. */
export const dollarsOf = (prices: Prices, model: string, tokens: Tokens): number | undefined => {
  const price = priceOf(prices, model)
  if (price === undefined) return undefined
  const { cachedInput, input, output } = tokens
  const fresh = Math.max(0, input - cachedInput)
  return (fresh * price.input + cachedInput * (price.cachedInput ?? price.input) + output * price.output) / 1_000_000
}
