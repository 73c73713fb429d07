/** Trouble that a test asks for. */

/** A request as moods and counters see it. */
export interface Seen {
  readonly at: number
  readonly method: string
  readonly path: string
  /** Operation of GitHub's description, `graphql:<field>`, `git:<service>`, or null. */
  readonly operation: string | null
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
  /** Null while it has no answer, or when the connection was cut. */
  status: number | null
}

/** Requests for tokens and for reading create no content. */
export const isCreation = ({ method, operation }: Seen) =>
  method !== "GET" &&
  operation !== null &&
  !/^(git:|apps\/|graphql:(node|repository|rateLimit|viewer)$)/.test(operation)

export type Trouble =
  /** A refusal without effect. */
  | {
      readonly kind: "answer"
      readonly status: number
      readonly message: string
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Too much at once; GitHub uses both statuses. */
  | { readonly kind: "secondary"; readonly status: 403 | 429; readonly retryAfter: number | null }
  /** The hour's requests are used up. */
  | { readonly kind: "primary" }
  /** The effect happens, and the connection ends without an answer. */
  | { readonly kind: "lost" }
  /** The connection ends before anything happens. */
  | { readonly kind: "cut" }
  /** The effect waits for a promise. */
  | { readonly kind: "slow"; readonly until: Promise<unknown> }
  /** The effect happens, and the answer waits for a promise. */
  | { readonly kind: "late"; readonly until: Promise<unknown> }

export type Match = string | RegExp | ((request: Seen) => boolean)

interface Mood {
  readonly match: Match
  readonly trouble: Trouble
  left: number
}

export interface Moods {
  /** The next requests that match meet this trouble. */
  readonly next: (match: Match, trouble: Trouble, times?: number) => void
  readonly clear: () => void
  /** Troubles that no request has met yet. */
  readonly waiting: () => number
  readonly take: (request: Seen) => Trouble | null
}

const matches = (match: Match, request: Seen) =>
  typeof match === "function"
    ? match(request)
    : typeof match === "string"
      ? request.operation === match
      : match.test(`${request.method} ${request.path}`)

export const makeMoods = (): Moods => {
  let moods: Array<Mood> = []
  return {
    next: (match, trouble, times = 1) => void moods.push({ match, trouble, left: times }),
    clear: () => void (moods = []),
    waiting: () => moods.reduce((sum, { left }) => sum + left, 0),
    take: (request) => {
      const mood = moods.find((one) => one.left > 0 && matches(one.match, request))
      if (mood === undefined) return null
      mood.left--
      return mood.trouble
    }
  }
}
