/** Response schemas, from which Fastify builds its serializers. Fields are sent in this order. */

const text = { type: "string" } as const
const textOrNull = { type: "string", nullable: true } as const
const int = { type: "integer" } as const
const intOrNull = { type: "integer", nullable: true } as const
const bool = { type: "boolean" } as const

const object = (properties: object) => ({ type: "object", properties }) as const
const objectOrNull = (properties: object) => ({ type: "object", nullable: true, properties }) as const
const array = (items: object) => ({ type: "array", items }) as const

const page = (item: object) => ({ 200: object({ data: array(item), nextCursor: textOrNull }) })

const decisionFields = {
  key: text,
  kind: text,
  authority: text,
  title: text,
  body: text,
  status: text,
  recommendation: text,
  options: array(object({ id: text, label: text, action: text, recommended: bool })),
  team: text,
  story: textOrNull,
  runKey: textOrNull,
  resolution: objectOrNull({ optionId: text, note: textOrNull }),
  resolvedVia: textOrNull,
  resolvedAt: textOrNull,
  expiresAt: textOrNull,
  createdAt: text
}
export const decision = { 200: object(decisionFields) }
export const decisions = page(object(decisionFields))

const effect = object({ type: text, status: text, summary: text, ref: objectOrNull({ type: text, id: text }) })
export const resolved = { 200: object({ ...decisionFields, effects: array(effect) }) }

const attempt = object({
  attempt: int,
  status: text,
  stage: text,
  executor: text,
  costCents: int,
  failureClass: textOrNull,
  error: textOrNull,
  verification: objectOrNull({ status: text, summary: text, completedAt: textOrNull }),
  startedAt: textOrNull,
  completedAt: textOrNull
})
const gate = object({ name: text, status: text, summary: textOrNull, url: textOrNull, completedAt: textOrNull })

export const run = {
  200: object({
    key: text,
    team: text,
    story: object({ key: text, title: text }),
    status: text,
    stage: text,
    executor: text,
    attempts: int,
    costCents: int,
    budgetCents: int,
    failureClass: textOrNull,
    pullRequest: objectOrNull({ url: text, number: int }),
    startedAt: textOrNull,
    completedAt: textOrNull,
    createdAt: text,
    attemptList: array(attempt),
    evidence: objectOrNull({
      gates: array(gate),
      acceptance: array(object({ criterionId: text, status: text })),
      demonstrate: array(object({ text, status: text, url: textOrNull })),
      diff: objectOrNull({ files: int, additions: int, deletions: int, commit: textOrNull })
    }),
    decisions: array(object({ key: text, kind: text, status: text }))
  })
}

export const teams = page(
  object({
    id: text,
    slug: text,
    name: text,
    description: textOrNull,
    keyPrefix: text,
    paused: bool,
    policy: objectOrNull({
      preset: text,
      custom: bool,
      version: int,
      executor: text,
      maxConcurrency: int,
      budgets: object({ runCents: intOrNull, dayCents: intOrNull, monthCents: intOrNull }),
      planApproval: text,
      mergePolicy: text,
      pausedAt: textOrNull,
      updatedAt: text
    }),
    createdAt: text,
    updatedAt: textOrNull
  })
)

const entry = object({
  id: text,
  timestamp: text,
  actor: object({ type: text, name: text, userId: textOrNull }),
  team: textOrNull,
  runKey: textOrNull,
  event: text,
  result: text,
  entity: object({ type: text, id: text, name: text }),
  details: {}
})
export const entries = page(entry)
export const entryFile = { 200: array(entry) }

export const accepted = {
  202: object({
    deliveryId: text,
    accepted: int,
    duplicates: int,
    rejected: array(object({ index: int, message: text }))
  })
}
