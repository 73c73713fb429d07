import { type Answer, type Asked, fakeTool } from "./FakeTool.ts"

export interface OpsgenieAlert {
  readonly status: "open" | "closed"
  readonly acknowledged: boolean
}

interface Request {
  /** Number of polls before it is processed. */
  readonly pending: number
  readonly outcome: { readonly isSuccess: boolean; readonly status: string; readonly action: string }
}

const paths = /^(?<base>\/v2|\/jsm\/ops\/integration\/v2)\/alerts\/(?<rest>[^?]+)(?<query>\?identifierType=id)?$/
const actions: Readonly<Record<string, Partial<OpsgenieAlert>>> = {
  acknowledge: { acknowledged: true },
  close: { status: "closed" }
}

const refused = (status: number, message: string): Answer => ({
  status,
  body: { message, took: 0.001, requestId: "r" }
})

/** The alert API of Opsgenie, and the part that Jira Service Management has: it shows no alerts. */
export const fakeOpsgenie = ({ key }: { readonly key: string }) => {
  const alerts = new Map<string, OpsgenieAlert>()
  const requests = new Map<string, Request>()
  /** Alerts that are deleted right after they are read. */
  const vanishing = new Set<string>()
  const settings = { pending: 0 }

  const show = (id: string): Answer => {
    const alert = alerts.get(id)
    if (alert === undefined) return refused(404, "Alert does not exist")
    if (vanishing.has(id)) alerts.delete(id)
    return { status: 200, body: { data: { id, ...alert }, took: 0.01, requestId: "look" } }
  }

  const ask = (id: string): Answer => {
    const request = requests.get(id)
    if (request === undefined || request.pending > 0) {
      if (request !== undefined) requests.set(id, { ...request, pending: request.pending - 1 })
      return refused(404, "Request not found. It might not be processed, yet.")
    }
    const { isSuccess } = request.outcome
    return { status: 200, body: { data: { success: isSuccess, ...request.outcome }, took: 0.02, requestId: id } }
  }

  /** Accepted regardless of its result; no request reopens a closed alert. */
  const act = (id: string, action: string): Answer => {
    const [alert, change] = [alerts.get(id), actions[action]]
    if (change === undefined) return refused(404, "Unknown action")
    const requestId = `request-${requests.size}`
    const status = alert === undefined ? "Alert does not exist" : "Done"
    requests.set(requestId, { pending: settings.pending, outcome: { isSuccess: alert !== undefined, status, action } })
    if (alert?.status === "open") alerts.set(id, { ...alert, ...change })
    return { status: 202, body: { result: "Request will be processed", took: 0.1, requestId } }
  }

  const tool = fakeTool(({ body, headers, method, path }: Asked) => {
    if (headers.authorization !== `GenieKey ${key}`) return refused(401, "Key is not authorized")
    const { base, query, rest = "" } = paths.exec(path)?.groups ?? {}
    if (base === undefined) return refused(404, "No such path")
    const [first = "", second, third] = rest.split("/").map(decodeURIComponent)
    if (method === "GET" && first === "requests" && second !== undefined) return ask(second)
    if (query === undefined || third !== undefined) return refused(422, "Request is not processable")
    if (method === "GET" && second === undefined) return base === "/v2" ? show(first) : refused(405, "Not allowed")
    if (method !== "POST" || second === undefined) return refused(405, "Not allowed")
    if (headers["content-type"] !== "application/json") return refused(415, "Unsupported media type")
    const { source, user } = JSON.parse(body) as Record<string, string>
    return source === undefined || user === undefined ? refused(422, "Nobody asks") : act(first, second)
  })

  return { ...tool, alerts, vanishing, settings }
}
