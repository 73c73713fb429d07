import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { Effect } from "effect"
import type { JSX } from "preact"
import type { Person } from "../../../application/workspace/Authorization.ts"
import type { Counts } from "../../../application/ports/Inbox.ts"
import type { SignedIn } from "../../../domain/workspace/Session.ts"
import { statusOf } from "../../api/OperationErrors.ts"
import type { Done } from "./Flash.ts"
import type { Form } from "./Forms.ts"
import type { Reader } from "./Reader.ts"

/** A member's request for a page of a workspace. */
export interface Visit {
  readonly person: Person
  readonly signedIn: SignedIn
  readonly reader: Reader
  /** Address of the service as the browser sees it. */
  readonly origin: string
  /** Address that alerting tools post to; the token of a source follows it. */
  readonly signals: string
  /** The same as the service itself reaches it. */
  readonly intake: string
  /** Address of the workspace's pages, such as `/acme`. */
  readonly base: string
  /** Values of the path's parameters. */
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Numbers of what waits for the member; read at most once. */
  readonly counts: Effect.Effect<Counts>
  /** Says what the person just did, on the page after it. */
  readonly confirmation: string | null
  /** Fields of a posted form; without any in a GET. */
  readonly form: Form
}

/** Entries of the side bar that pages belong to. */
export const sections = [
  "decisions",
  "teams",
  "incidents",
  "services",
  "sources",
  "audit",
  "notifications",
  "settings"
] as const
export type Section = (typeof sections)[number]

/** A page's content; the layout is added around it. */
export interface View {
  readonly title: string
  readonly section: Section | null
  /** Slug of the team that the page belongs to. */
  readonly team?: string
  readonly body: JSX.Element
  readonly status?: number
  /** The way of a form that is sent again, when the page that answers it shows something once. */
  readonly sentAgain?: { readonly to?: string; readonly done: Done }
  /** Origin of another site that a form of the page is sent to. */
  readonly formTarget?: string
}

export type Reply = View | HttpServerResponse.HttpServerResponse

/** A link out of an error. */
export interface Way {
  readonly href: string
  readonly text: string
}

/** An expected error: its tag decides on the status, its message is shown. */
export interface Refusal {
  readonly _tag: string
  readonly message: string
}

const kinds: ReadonlyArray<readonly [kind: RegExp, status: number]> = [
  [/(NotFound|WrongAddress)$/, 404],
  [/^SignInRequired$/, 401],
  [/(Required|ForeignForm|ForeignStart|PlainHttp)$/, 403],
  [/^OpenIdRefused$/, 403],
  [/^OpenIdUnavailable$/, 503],
  [/^TooMany/, 429],
  [/^FormTooSlow$/, 408]
]

/** Statuses of errors; those that only pages show are named by their kind. */
export const statusOfPage = ({ _tag }: Refusal): number =>
  statusOf(_tag) ?? kinds.find(([kind]) => kind.test(_tag))?.[1] ?? 409

type Handler<R> = (visit: Visit) => Effect.Effect<Reply, Refusal, R>

/** A page of a workspace, at a path such as `decisions/:key` below it. */
export interface Page<R> {
  readonly path: string
  readonly get?: Handler<R>
  readonly post?: Handler<R>
}

/** The page at a path, with the values of its parameters. */
export const match = <R>(pages: ReadonlyArray<Page<R>>, segments: ReadonlyArray<string>) => {
  for (const page of pages) {
    const parts = page.path.split("/")
    const isSame = (part: string, index: number) =>
      part.startsWith(":") ? segments[index] !== "" : part === segments[index]
    if (parts.length !== segments.length || !parts.every(isSame)) continue
    const named = parts.flatMap((part, index) =>
      part.startsWith(":") ? [[part.slice(1), decodeURIComponent(segments[index] ?? "")] as const] : []
    )
    return { page, parameters: Object.fromEntries(named) }
  }
  return null
}

export const methodsOf = <R>({ get, post }: Page<R>): ReadonlyArray<string> => [
  ...(get ? ["GET", "HEAD"] : []),
  ...(post ? ["POST"] : [])
]
