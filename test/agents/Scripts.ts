import type { Asked } from "./Dialects.ts"
import type { Turn } from "./ModelServer.ts"
import type { AgentName, TeamOf } from "./Works.ts"

export const check = (story: string) => `.kanman/acceptance/${story}/ac-1`

const spec = ({ story, turn }: Asked): Turn => {
  const turns: ReadonlyArray<Turn> = [
    { write: check(story), content: "#!/bin/sh\ntest -f done.txt\n" },
    { run: `chmod +x ${check(story)}` }
  ]
  return turns[turn] ?? { say: "The check is written." }
}

const done = ({ prompt, turn }: Asked): Turn =>
  turn === 0
    ? { write: "done.txt", content: `${prompt.includes("please") ? "please" : "done"}\n` }
    : { say: "All done." }

const runOf = ({ prompt }: Asked) => /of (run-\w+)/.exec(prompt)?.[1] ?? ""

/** Stories whose budget was raised. */
export const raised = new Set<string>()

/** The work of the model by the kind of the story. */
const implementing: Readonly<Record<string, (asked: Asked) => Turn>> = {
  MRG: done,
  NOT: done,
  QST: (asked) => {
    if (asked.prompt.includes("Euro"))
      return asked.turn === 0 ? { write: "done.txt", content: "Euro\n" } : { say: "Done." }
    const turns: ReadonlyArray<Turn> = [
      { mcp: "get_story", input: { story: asked.story } },
      { mcp: "request_human_input", input: { question: "Which currency?", run: runOf(asked) } },
      { write: "draft.txt", content: "meanwhile\n" }
    ]
    return turns[asked.turn] ?? { say: "I wait for the answer." }
  },
  NOW: (asked) => {
    const decision = /dec-\w{4}/.exec(asked.result)?.[0] ?? "dec-0000"
    if (asked.turn === 0)
      return { mcp: "request_human_input", input: { question: "Which currency?", run: runOf(asked) } }
    if (asked.result.includes("Euro")) return { write: "done.txt", content: "Euro\n" }
    return /resolution|pending/.test(asked.result)
      ? { mcp: "get_decision", input: { decision, waitSeconds: 20 } }
      : { say: "All done." }
  },
  DEN: (asked) =>
    asked.turn === 0 ? { write: "secret/key.txt", content: "new\n" } : done({ ...asked, turn: asked.turn - 1 }),
  SPC: (asked) =>
    asked.turn === 0 && asked.attempt === 1
      ? { write: check(asked.story), content: "#!/bin/sh\nexit 0\n" }
      : done({ ...asked, turn: asked.attempt === 1 ? asked.turn - 1 : asked.turn }),
  BUD: (asked) => (asked.turn === 0 || raised.has(asked.story) ? done(asked) : { mood: "nothing" }),
  CAN: (asked) => (asked.turn === 0 ? { run: "env" } : done({ ...asked, turn: asked.turn - 1 })),
  STP: () => ({ mood: "nothing" }),
  KIL: (asked) => {
    if (asked.attempt > 1) return done(asked)
    return asked.turn === 0 ? { write: "half.txt", content: "half\n" } : { mood: "nothing" }
  },
  END: (asked) => (asked.attempt === 1 ? { mood: "nothing" } : done(asked)),
  MRL: () => ({ status: 429 }),
  MER: () => ({ status: 500 }),
  MNO: () => ({ mood: "nonsense" }),
  MNI: () => ({ mood: "nothing" })
}

export const kinds: Readonly<Record<keyof typeof implementing, TeamOf>> = {
  MRG: { policy: { acceptanceSpecRequired: true }, gate: "test -f done.txt" },
  NOT: { policy: { mergePolicy: "manual" } },
  QST: {},
  NOW: {},
  DEN: { policy: { deniedPaths: [".kanman/acceptance/**", "secret/**"] } },
  SPC: { policy: { acceptanceSpecRequired: true } },
  BUD: { policy: { budgets: { runCents: 50, dayCents: null, monthCents: null } } },
  CAN: {},
  STP: {},
  KIL: {},
  END: {},
  MRL: {},
  MER: {},
  MNO: {},
  MNI: {}
}

export const letters: Record<AgentName, string> = { "claude-code": "C", codex: "X" }

export const script = (asked: Asked): Turn => {
  const kind = asked.story.slice(0, 3)
  if (kind.startsWith("M") && kind !== "MRG") return implementing[kind]?.(asked) ?? { say: "?" }
  if (asked.step === "plan") return { say: `Plan of ${asked.story}: write done.txt.` }
  if (asked.step === "spec") return spec(asked)
  return implementing[kind]?.(asked) ?? { say: "?" }
}

/** Tokens for 60 cents, once. */
export const usage = ({ step, story, turn }: Asked) =>
  story.startsWith("BUD") && step === "implement" && turn === 0 && !raised.has(story)
    ? { input: 60_000, output: 10 }
    : { input: 100, output: 10 }
