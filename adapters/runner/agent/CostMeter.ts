import type { AgentEvent } from "./Agent.ts"
import { centsOf, dollarsOf, noTokens, plus, type Prices, type Tokens } from "./Prices.ts"

/**
 * Reckons the cost of one process in euro cents: by the tokens of each model while it works, and by the program's own
 * figure as soon as there is one. A price that is not known is said, and never counts as nothing.
 */
export const costMeter = (prices: Prices, on: (event: AgentEvent) => void) => {
  const used = new Map<string, Tokens>()
  const unknown = new Set<string>()
  let own: number | null = null
  let most = 0
  const tell = (dollars: number) => {
    const costCents = centsOf(prices, dollars)
    if (costCents <= most) return
    most = costCents
    on({ type: "cost", costCents, prices: prices.version })
  }
  return {
    tokens: (model: string, tokens: Tokens) => {
      used.set(model, plus(used.get(model) ?? noTokens, tokens))
      if (own !== null) return
      const costs = [...used].map(([name, all]) => [name, dollarsOf(prices, name, all)] as const)
      for (const [name, dollars] of costs)
        if (dollars === undefined && !unknown.has(name)) {
          unknown.add(name)
          on({
            type: "progress",
            text: `The price of the model ${name} is not in the table '${prices.version}', so its tokens are not counted yet; set RUNNER_PRICES`
          })
        }
      tell(costs.reduce((sum, [, dollars]) => sum + (dollars ?? 0), 0))
    },
    dollars: (total: number, isGuess: boolean) => {
      if (isGuess && used.size > 0 && unknown.size === 0) return
      if (isGuess && own === null)
        on({ type: "progress", text: "The program does not know the price of its model either; its guess is counted" })
      own = total
      tell(total)
    }
  }
}
