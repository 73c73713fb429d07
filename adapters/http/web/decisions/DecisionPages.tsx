import { Effect } from "effect"
import type { DecisionStore } from "../../../../application/ports/DecisionStore.ts"
import { Heading, Lede } from "../components/Heading.tsx"
import type { Page } from "../Page.ts"

export const pages: ReadonlyArray<Page<DecisionStore>> = [
  {
    path: "decisions",
    get: () =>
      Effect.succeed({
        title: "Decisions",
        section: "decisions",
        body: (
          <Heading title="Decisions">
            <Lede>What the AI teams cannot decide without you. The one that expires first is on top.</Lede>
          </Heading>
        )
      })
  }
]
