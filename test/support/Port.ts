import { createSocket } from "node:dgram"
import { createServer } from "node:net"

/** The owner of a TCP port holds the UDP port of that number until its process ends. */
const claim = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createSocket("udp4")
    socket.once("error", () => socket.close(() => resolve(false)))
    socket.bind(port, "127.0.0.1", () => {
      socket.unref()
      resolve(true)
    })
  })

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/**
 * A port that stays free while its server is away: nobody else draws it, and the system gives those from 32768 on to
 * connections and to servers that name none.
 */
export const ownPort = async (): Promise<number> => {
  for (let port = 20_000; port < 32_768; port++) if ((await claim(port)) && (await isFree(port))) return port
  throw new Error("every port from 20000 to 32767 is taken")
}
