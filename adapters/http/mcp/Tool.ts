import { Effect, JSONSchema, Schema } from "effect"
import type { AuditLog } from "../../../application/ports/AuditLog.ts"
import type { DecisionStore } from "../../../application/ports/DecisionStore.ts"
import type { OnCallStore } from "../../../application/ports/OnCallStore.ts"
import type { RunnerStore } from "../../../application/ports/runner/RunnerStore.ts"
import type { HeldRun, RunStore } from "../../../application/ports/RunStore.ts"
import type { StoryStore } from "../../../application/ports/StoryStore.ts"
import type { TeamStore } from "../../../application/ports/TeamStore.ts"
import type { TokenStore } from "../../../application/ports/TokenStore.ts"
import type { WorkspaceStore } from "../../../application/ports/WorkspaceStore.ts"
import type { Cursors } from "../../../application/workspace/Cursors.ts"
import type { Person } from "../../../application/workspace/Authorization.ts"
import type { ChangeFeed } from "../../../application/workspace/ChangeFeed.ts"
import * as Decision from "../../../domain/work/Decision.ts"
import * as Run from "../../../domain/work/Run.ts"
import * as Story from "../../../domain/work/Story.ts"
import type { TokenId } from "../../../domain/workspace/ApiToken.ts"
import { atLeast } from "../../../domain/workspace/Member.ts"
import { type Operation, rights } from "../../../domain/workspace/RequiredRole.ts"
import { Text } from "../../../domain/value/Text.ts"
import * as Team from "../../../domain/workspace/Team.ts"
import type { WorkspaceId } from "../../../domain/workspace/Workspace.ts"
import { type JsonSchema, tidy } from "../../api/openapi/JsonSchema.ts"

/** A member's token, on the channel `mcp`. */
export interface Member extends Person {
  readonly token: TokenId
}

/** The agent of a run, with the credential that the runner gave it. */
export interface Agent {
  readonly held: HeldRun
  readonly workspace: WorkspaceId
}

export type Caller = Member | Agent

export const isAgent = (caller: Caller): caller is Agent => "held" in caller

/** Ports of the use cases behind the tools. */
export type Needed =
  | AuditLog
  | ChangeFeed
  | Cursors
  | DecisionStore
  | OnCallStore
  | RunnerStore
  | RunStore
  | StoryStore
  | TeamStore
  | TokenStore
  | WorkspaceStore

export interface Refusal {
  readonly _tag: string
  readonly message: string
}

/** `read` changes nothing; `tell` adds without harm, so that unattended clients may call it; `change` asks them first. */
type Kind = "read" | "tell" | "change"

interface Described<Fields extends Schema.Struct.Fields> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly kind: Kind
  /** True when a second call with the same arguments changes nothing more. */
  readonly isIdempotent?: boolean
  /** True when `waitSeconds` lets a call wait. */
  readonly waits?: boolean
  /** The operation whose role decides who sees it; null is every member. */
  readonly right: Operation | null
  readonly input: Fields
}

/** The result of a tool: a JSON object, or its text. */
export type Result = Effect.Effect<string | object, Refusal, Needed>

export interface Tool extends Omit<Described<Schema.Struct.Fields>, "input"> {
  readonly input: Schema.Schema.AnyNoContext
  readonly inputSchema: JsonSchema
  // The schema of the tool has decoded the arguments.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly asMember: (member: Member, given: any) => Result
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly asAgent: ((agent: Agent, given: any) => Result) | null
}

/** Unknown arguments are ignored, and the schema says so. */
const open = (schema: JsonSchema): JsonSchema => {
  const { additionalProperties: _, items, properties, ...rest } = schema
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, open(one)]))
    }),
    ...(items && { items: open(items) })
  }
}

const schemaOf = (input: Schema.Schema.AnyNoContext): JsonSchema => {
  const {
    $defs,
    $schema: _,
    ...schema
  } = JSONSchema.make(input) as JsonSchema & {
    readonly $schema?: string
    readonly $defs?: Readonly<Record<string, JsonSchema>>
  }
  return open(tidy($defs ?? {})(schema))
}

/** Defines a tool; without `asAgent`, the agent of a run does not have it. */
export const tool = <Fields extends Schema.Struct.Fields>(
  { input, ...described }: Described<Fields>,
  asMember: (member: Member, given: Schema.Struct.Type<Fields>) => Result,
  asAgent: ((agent: Agent, given: Schema.Struct.Type<Fields>) => Result) | null = null
): Tool => {
  const schema = Schema.Struct(input) as unknown as Schema.Schema.AnyNoContext
  return { ...described, input: schema, inputSchema: schemaOf(schema), asMember, asAgent }
}

export const annotationsOf = ({ isIdempotent, kind, title }: Tool) => ({
  title,
  readOnlyHint: kind === "read",
  destructiveHint: kind === "change",
  idempotentHint: kind === "read" || isIdempotent === true,
  openWorldHint: false
})

/** True when the list of tools shows it to the caller. */
export const isOffered = (caller: Caller, { asAgent, right }: Tool): boolean =>
  isAgent(caller) ? asAgent !== null : right === null || atLeast(caller.member.role, rights[right])

export const text = (description: string) => Text.annotations({ description })

export const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

export const keys = {
  story: text("Key of the story, such as PAY-12"),
  run: text("Key of the run, such as run-7f3k"),
  team: text("Slug of the team, such as payments"),
  decision: text("Key of the decision, such as dec-4m2q"),
  incident: text("Key of the incident, such as inc-4m2q")
}

export const paging = {
  limit: maybe(Schema.Int.pipe(Schema.between(1, 100)).annotations({ description: "Items of a page; default 25" })),
  cursor: maybe(text("nextCursor of the page before"))
}

export const pageOf = ({ cursor, limit }: { readonly limit?: number; readonly cursor?: string }) => ({
  limit: limit ?? 25,
  cursor: cursor ?? null
})

/** A malformed key is that of a missing object. */
export const storyOf = (story: string) =>
  Effect.mapError(Story.parseKey(story), () => new Story.StoryNotFound({ story }))
export const runOf = (run: string) => Effect.mapError(Run.parseKey(run), () => new Run.RunNotFound({ run }))
export const teamOf = (team: string) => Effect.mapError(Team.parseSlug(team), () => new Team.TeamNotFound({ team }))
export const decisionOf = (decision: string) =>
  Effect.mapError(Decision.parseKey(decision), () => new Decision.DecisionNotFound({ decision }))

/** The key of a filter, if it is given. */
export const given = <A, E>(
  key: string | undefined,
  parse: (text: string) => Effect.Effect<A, E>
): Effect.Effect<A | null, E> => (key === undefined ? Effect.succeed(null) : parse(key))

/** One page of a list as text. */
export const page = ({ items, nextCursor }: { readonly items: string; readonly nextCursor: string | null }) =>
  `{"data":${items},"nextCursor":${JSON.stringify(nextCursor)}}`
