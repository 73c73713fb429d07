import { Effect } from "effect"
import { it } from "vitest"
import { thread } from "../tracker/IssueThread.ts"
import { modelServer } from "./ModelServer.ts"
import { letters, script, usage } from "./Scripts.ts"
import { agents, agentSettings } from "./Works.ts"

it.each(agents)(
  "%s works on an issue that is labelled ready, asks, is answered in the app, and its merge closes the issue",
  async (agent) => {
    const model = await modelServer(script, usage)
    try {
      const course = {
        prefix: `QST${letters[agent]}`,
        policy: { executor: agent, planApproval: "never" },
        runner: (home: string) => agentSettings(home, model),
        answers: [
          ["clarification", "answer", "Euro"],
          ["merge_approval", "merge", ""]
        ],
        words: "is done"
      } as const
      await Effect.runPromise(thread(course))
    } finally {
      model.close()
    }
  }
)
