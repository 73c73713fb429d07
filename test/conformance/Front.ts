import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

/** Passes requests on with a token, since the suite has none; tokens take turns, so that none reaches its limit. */
export const front = async (url: string, tokens: ReadonlyArray<string>) => {
  const { hostname, port } = new URL(url)
  let turn = 0
  const server = createServer((asked, answer) => {
    const { headers, method, url: path } = asked
    const authorization = `Bearer ${tokens[turn++ % tokens.length]}`
    const options = { hostname, port, path, method, headers: { ...headers, authorization }, agent: false }
    const passed = request(options, (came) => {
      answer.writeHead(came.statusCode ?? 502, came.headers)
      came.pipe(answer)
    })
    passed.on("error", () => answer.destroy())
    answer.on("close", () => passed.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
