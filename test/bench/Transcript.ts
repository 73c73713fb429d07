import { assert } from "vitest"
import { type Answer, ask, type World } from "../support/World.ts"

/** A service under test: ours or a peer, with our stores beside it to prepare the data. */
export interface Side {
  readonly url: string
  readonly run: World["run"]
  /** Rows of a workspace in a table, newest first, as JSON. */
  readonly rows: (table: string, workspace: string) => Promise<ReadonlyArray<string>>
  /** Passes the secret of a source to it. */
  readonly share: (source: string, secret: string) => Promise<void>
  /** Waits until every stored delivery is triaged. */
  readonly settle: () => Promise<void>
  readonly close: () => Promise<void>
}

const recent = performance.timeOrigin - 3_600_000

/** Removes drawn values and times, which differ between sides; the rest must not. */
export const blank = (text: string): string =>
  text
    .replace(/acme-\d+-\d+/g, "<slug>")
    .replace(/[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/g, "<uuid>")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g, (at) => (Date.parse(at) > recent ? "<time>" : at))
    .replace(/(-)\d{4}-\d\d-\d\d(?=\.(csv|json))/g, "$1<day>")
    .replace(/\binc-[0-9a-hjkmnp-tv-z]{4}\b/g, "<incident>")
    .replace(/\btk_[A-Za-z0-9]{8}\b/g, "<prefix>")

const told = [
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-request-id",
  "cache-control",
  "x-content-type-options",
  "www-authenticate",
  "content-disposition",
  "x-service-export-count",
  "x-service-export-truncated"
]

const headersOf = ({ headers }: Answer) => {
  const reset = Number(headers["x-ratelimit-reset"]) - (performance.timeOrigin + performance.now()) / 1000
  return {
    ...Object.fromEntries(told.map((name) => [name, blank(headers[name] ?? "none")])),
    mediaType: headers["content-type"]?.split(";")[0] ?? "none",
    hasEtag: /^"[\w-]{27}"$/.test(headers["etag"] ?? ""),
    isResetSoon: reset > 0 && reset <= 62,
    isToRetrySoon: Number(headers["retry-after"]) >= 1 && Number(headers["retry-after"]) <= 61
  }
}

/** Refusals are equal by their code; each side has its own messages. */
const bodyOf = (answer: Answer): string => {
  // Postgres puts meaningless spaces into its JSON; the order of fields stays.
  const text = answer.body === undefined ? answer.text : JSON.stringify(answer.body)
  if (answer.status < 400)
    return blank(text)
      .replace(/"nextCursor":"[\w-]+"/, '"nextCursor":"<cursor>"')
      .replace(/"message":"[^"]*"/g, '"message":"…"')
  assert.deepStrictEqual(Object.keys(answer.body), ["error"])
  assert.deepStrictEqual(Object.keys(answer.body.error), ["code", "message"])
  assert.isNotEmpty(answer.body.error.message)
  return answer.body.error.code
}

type Asked = NonNullable<Parameters<typeof ask>[2]>

/** Sends requests to a side and keeps the answers, in a form that both sides share. */
export const transcript = (side: Side) => {
  const lines: Array<unknown> = []
  return {
    lines,
    note: (what: string, value: unknown) => void lines.push({ what, value }),
    /** Each request has its own id, which some answers repeat. */
    ask: async (path: string, asked: Asked = {}): Promise<Answer> => {
      const headers = { "x-request-id": `ask-${lines.length}`, ...asked.headers }
      const answer = await ask(side.url, path, { ...asked, headers })
      const request = `${asked.method ?? "GET"} ${path.replace(/cursor=[\w-]+/, "cursor=…").replace(/\w{32}/, "…")}`
      lines.push({ request, status: answer.status, headers: headersOf(answer), body: bodyOf(answer) })
      return answer
    }
  }
}
export type Transcript = ReturnType<typeof transcript>

/** All items of a list, page by page; each exactly once. */
export const walk = async (at: Transcript, path: string, token: string, idOf: (item: never) => string) => {
  const ids: Array<string> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body, status } = await at.ask(cursor === "" ? path : `${path}&cursor=${cursor}`, { token })
    assert.strictEqual(status, 200)
    ids.push(...body.data.map(idOf))
    cursor = body.nextCursor
  }
  assert.strictEqual(new Set(ids).size, ids.length, "no item comes twice")
  return ids
}
