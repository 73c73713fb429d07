import { get } from "node:http"
import { tokenOf } from "./Dataset.ts"
import type { Service } from "./Stage.ts"

export interface Depth {
  /** Number of pages of 25. */
  readonly page: number
  readonly paths: ReadonlyArray<string>
}

interface Answer {
  readonly data: ReadonlyArray<unknown>
  readonly nextCursor: string | null
}

const ask = (url: string, token: string) =>
  new Promise<Answer>((resolve, reject) => {
    get(url, { headers: { authorization: `Bearer ${token}` } }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
      response.on("end", () =>
        response.statusCode === 200
          ? resolve(JSON.parse(text) as Answer)
          : reject(new Error(`${url} answered ${response.statusCode}: ${text}`))
      )
      response.on("error", reject)
    }).on("error", reject)
  })

const deepest = 1000
const perPage = 25
const perStep = 100
const kept = 20

/** Walks as a client does: from page to page, to page 1,000 or to the end of the list. */
export const walk = async ({ database, url }: Service, path: string): Promise<Depth> => {
  const cursors: Array<string> = []
  let seen = 0
  while (seen < deepest * perPage) {
    const from = cursors.length === 0 ? "" : `&cursor=${cursors.at(-1)}`
    const step = path.replace(`limit=${perPage}`, `limit=${perStep}`) + from
    const { data, nextCursor } = await ask(url + step, tokenOf(cursors.length % database.size.tokens))
    seen += data.length
    // The last page is short, which would be cheaper than the others.
    if (nextCursor === null) {
      cursors.pop()
      break
    }
    cursors.push(nextCursor)
  }
  const page = Math.round((cursors.length * perStep) / perPage)
  return { page, paths: cursors.slice(-kept).map((cursor) => `${path}&cursor=${cursor}`) }
}
