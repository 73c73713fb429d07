import { connect, type Socket } from "node:net"

/** Sends bytes unchanged, piece by piece, and returns all bytes until the server closes. */
export const raw = (url: string, ...pieces: ReadonlyArray<string | Buffer>): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    let answer = ""
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const write = ([piece, ...rest]: ReadonlyArray<string | Buffer>) => {
      if (piece !== undefined) socket.write(piece, () => setImmediate(write, rest))
    }
    socket.setEncoding("utf8").on("data", (chunk) => (answer += String(chunk)))
    socket.on("connect", () => write(pieces))
    socket.on("close", () => resolve(answer))
    socket.on("error", reject)
  })

/** Writes everything before it reads anything, as many clients do. */
export const writeThenRead = (url: string, bytes: string | Buffer): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    let answer = ""
    const socket = connect({ host: hostname, port: Number(port) })
      .pause()
      .setEncoding("utf8")
    socket.write(bytes, () => socket.resume())
    socket.on("data", (chunk) => (answer += String(chunk)))
    socket.on("close", () => resolve(answer))
    socket.on("error", reject)
  })

/** Sends part of a request and disconnects. */
export const hangUp = (url: string, bytes: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(bytes, () => socket.destroy()))
    socket.on("close", () => resolve())
    socket.on("error", reject)
  })

/** Sends a request and disconnects, so that the response has no reader. */
export const vanish = (url: string, bytes: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes)
      socket.resetAndDestroy()
    })
    socket.on("close", () => resolve())
    socket.on("error", reject)
  })

/** Sends bytes and more of them now and then, reads the whole answer, and never disconnects itself. */
export const stay = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url)
    let answer = ""
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.setEncoding("utf8").on("data", (chunk) => (answer += String(chunk)))
    socket.write(bytes)
    const more = setInterval(() => socket.write(" "), 200)
    socket.on("error", () => {})
    socket.on("close", () => {
      clearInterval(more)
      resolve(answer)
    })
  })

/** A connection that is kept after a first response; null when the server closes it instead. */
export const linger = (url: string, localAddress = "127.0.0.1"): Promise<Socket | null> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), localAddress })
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    socket.on("data", () => resolve(socket))
    socket.on("error", (error: Error & { readonly code?: string }) =>
      error.code === "ECONNRESET" || error.code === "EPIPE" ? resolve(null) : reject(error)
    )
    socket.on("close", () => resolve(null))
  })

/** Sends bytes and never reads the response. */
export const neverRead = (url: string, bytes: string, localAddress = "127.0.0.1"): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), localAddress })
    socket.pause().on("error", reject)
    socket.write(bytes, () => {
      socket.off("error", reject).on("error", () => {})
      resolve(socket)
    })
  })
