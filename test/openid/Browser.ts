import { type Answer, ask } from "../support/World.ts"

const html = "text/html,application/xhtml+xml"

/** A browser without script that keeps the cookies of each host, and follows no redirect by itself. */
export const cookieBrowser = () => {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = (url: URL) => {
    const jar = jars.get(url.host) ?? new Map<string, string>()
    jars.set(url.host, jar)
    return jar
  }

  const send = async (
    address: string,
    form?: Readonly<Record<string, string>>,
    more: Readonly<Record<string, string>> = { "sec-fetch-site": "none" }
  ): Promise<Answer> => {
    const url = new URL(address)
    const jar = jarOf(url)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const answer = await ask(`${url.protocol}//127.0.0.1:${url.port}`, `${url.pathname}${url.search}`, {
      headers: {
        accept: html,
        host: url.host,
        ...(cookie !== "" && { cookie }),
        ...more,
        ...(form && {
          "content-type": "application/x-www-form-urlencoded",
          origin: url.origin,
          "sec-fetch-site": "same-origin"
        })
      },
      ...(form && { method: "POST", body: new URLSearchParams(form).toString() })
    })
    const set = (answer.headers["set-cookie"] ?? []) as unknown as ReadonlyArray<string>
    for (const one of set) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? []
      if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(one)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }

  const to = ({ headers }: Answer, from: string) => new URL(headers["location"] ?? "", from).href

  return {
    send,
    cookies: (address: string) => jarOf(new URL(address)),
    /** The address that an answer leads to. */
    to,
    /** Follows redirects until one leads to an address that matches, or a page is shown. */
    follow: async (address: string, until: RegExp): Promise<string> => {
      let at = address
      for (let steps = 0; steps < 10 && !until.test(at); steps++) {
        const answer = await send(at)
        if (answer.headers["location"] === undefined) return at
        at = to(answer, at)
      }
      return at
    }
  }
}

export type CookieBrowser = ReturnType<typeof cookieBrowser>
