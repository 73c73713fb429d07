import { introduction, nobody, report } from "./Wire.ts"

/** Each route for a token, with a body that it takes. */
export const routes = [
  ["/hello", introduction],
  ["/lease", { runner: nobody, executors: [], waitSeconds: 0 }],
  [`/leases/${nobody}/renew`, { fence: 1, lastInput: 0 }],
  [`/leases/${nobody}/report`, report(1, 1)],
  [`/leases/${nobody}/finish`, { fence: 1, outcome: null }],
  ["/goodbye", { runner: nobody }]
] as const

/** Routes for the credential of a run. */
export const own = [
  ["/run/questions", { question: "Which?" }],
  ["/run/progress", { text: "half done" }]
] as const

export const [, , renewRoute, reportRoute, finishRoute] = routes
const evidence = { gates: [], acceptance: [], demonstrate: [], diff: null }

/** Bodies that are refused, with the field that the answer names. */
export const refusedBodies: ReadonlyArray<readonly [path: string, body: object, field: string]> = [
  ...Object.keys(introduction)
    .filter((field) => field !== "teams")
    .map((field) => ["/hello", { ...introduction, [field]: undefined }, field] as const),
  ["/hello", { ...introduction, protocol: 0 }, "protocol"],
  ["/hello", { ...introduction, protocol: "1" }, "protocol"],
  ["/hello", { ...introduction, name: "" }, "name"],
  ["/hello", { ...introduction, name: "x".repeat(101) }, "name"],
  ["/hello", { ...introduction, name: "a\nb" }, "name"],
  ["/hello", { ...introduction, name: "\u202ename" }, "name"],
  ["/hello", { ...introduction, name: "--json" }, "name"],
  ["/hello", { ...introduction, version: "a\0b" }, "version"],
  ["/hello", { ...introduction, version: "1\u001b[2J" }, "version"],
  ["/hello", { ...introduction, os: "linux\u009b" }, "os"],
  ["/hello", { ...introduction, executors: [{ name: "cus\ttom", version: null }] }, "executors.0.name"],
  ["/lease", { runner: nobody.replace("8", "A"), executors: [], waitSeconds: 0 }, "runner"],
  ["/goodbye", { runner: nobody.replace("8", "A") }, "runner"],
  ["/hello", { ...introduction, slots: 0 }, "slots"],
  ["/hello", { ...introduction, slots: 101 }, "slots"],
  ["/hello", { ...introduction, slots: 1.5 }, "slots"],
  ["/hello", { ...introduction, executors: ["custom"] }, "executors.0"],
  ["/hello", { ...introduction, teams: ["Not A Slug"] }, "teams.0"],
  ["/lease", { runner: "build-1", executors: [], waitSeconds: 0 }, "runner"],
  ["/lease", { runner: nobody, executors: [], waitSeconds: 26 }, "waitSeconds"],
  ["/lease", { runner: nobody, executors: [], waitSeconds: -1 }, "waitSeconds"],
  ["/lease", { runner: nobody, executors: "custom", waitSeconds: 0 }, "executors"],
  [renewRoute[0], { fence: 0, lastInput: 0 }, "fence"],
  [renewRoute[0], { fence: 2 ** 31, lastInput: 0 }, "fence"],
  [renewRoute[0], { fence: 1, lastInput: -1 }, "lastInput"],
  [renewRoute[0], { fence: 1, lastInput: 2 ** 31 }, "lastInput"],
  [reportRoute[0], { ...report(1, 1), seq: 0 }, "seq"],
  [reportRoute[0], { ...report(1, 1), seq: 2 ** 31 }, "seq"],
  [reportRoute[0], report(1, 1, [{ type: "nonsense" }]), "facts.0.type"],
  [reportRoute[0], report(1, 1, [{ type: "cost", costCents: 2 ** 40 }]), "facts.0.costCents"],
  [reportRoute[0], report(1, 1, [{ type: "question", question: "\0" }]), "facts.0.question"],
  [
    reportRoute[0],
    report(1, 1, [{ type: "evidence", evidence: { ...evidence, gates: [7] } }]),
    "facts.0.evidence.gates.0"
  ],
  [
    reportRoute[0],
    report(
      1,
      1,
      Array.from({ length: 51 }, () => ({ type: "answer_awaited" }))
    ),
    "facts"
  ],
  [reportRoute[0], report(1, 1, [{ type: "merged" }]), "facts.0"],
  [
    reportRoute[0],
    report(1, 1, [{ type: "pull_request", pullRequest: { url: "https://github.com/acme/pay/pull/7", number: 8 } }]),
    "facts.0.pullRequest.number"
  ],
  [reportRoute[0], report(1, 1, [{ type: "stage", stage: "done" }]), "facts.0"],
  [reportRoute[0], { ...report(1, 1), log: "x".repeat(32_769) }, "log"],
  [reportRoute[0], { ...report(1, 1), session: "" }, "session"],
  [finishRoute[0], { fence: 1, outcome: "stopped" }, "outcome"],
  [finishRoute[0], { outcome: null }, "fence"],
  ["/goodbye", {}, "runner"]
]
