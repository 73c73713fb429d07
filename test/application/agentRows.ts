import { Effect } from "effect"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import type { TokenId } from "../../domain/workspace/ApiToken.ts"
import { callerOf } from "./forge.ts"
import { type Act, answer, newToken, run, story } from "./house.ts"
import type { Row } from "./OnRecordRow.ts"

const asks =
  (place: Parameters<typeof Decisions.ask>[1]): Act =>
  (_, person) =>
    Decisions.ask(person, place, "Which tax rate?")

/** Use cases of agents with a member's token. */
export const agentRows: Readonly<Record<string, Row>> = {
  "Decisions.ask": {
    act: (place, person) =>
      Effect.zipRight(
        asks({ run: run("run-dddd") })(place, person),
        Effect.zipRight(asks({ run: run("run-dddd") })(place, person), asks({ story: story("PAY-3") })(place, person))
      ),
    entries: ["decision_raised decision payments run", "decision_raised decision payments"],
    refusals: {
      RunOver: asks({ run: run("run-cccc") }),
      RunNotFound: asks({ run: run("run-0000") }),
      StoryNotFound: asks({ story: story("PAY-99") })
    }
  },
  "Decisions.answerForAgent": {
    act: (_, person) => Decisions.answerForAgent(person, answer("yes")),
    entries: ["decision_resolved decision payments run", "run_state_changed run payments run"],
    refusals: {
      UnknownOption: (_, person) => Decisions.answerForAgent(person, answer("nope")),
      DecisionNotFound: (_, person) => Decisions.answerForAgent(person, answer("yes", "dec-0000"))
    }
  },
  "Tokens.createWithin": {
    act: ({ forge }, person) => Tokens.createWithin(callerOf(person, forge), newToken),
    entries: ["token_created token"],
    refusals: {
      InvalidToken: (_, person) =>
        Tokens.createWithin({ ...person, token: "00000000-0000-4000-8000-000000000000" as TokenId }, newToken)
    }
  }
}
