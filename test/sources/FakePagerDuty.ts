import { type Asked, fakeTool } from "./FakeTool.ts"

type Status = "triggered" | "acknowledged" | "resolved"

const refused = (status: number, code: number, ...errors: ReadonlyArray<string>) => ({
  status,
  body: { error: { message: "Not done", code, errors } }
})

/** PagerDuty's REST API for reading and changing incidents. */
export const fakePagerDuty = ({ from, key }: { readonly from: string; readonly key: string }) => {
  const incidents = new Map<string, Status>()
  const reopened: Array<string> = []

  const tool = fakeTool(({ body, headers, method, path }: Asked) => {
    if (headers.authorization !== `Token token=${key}`) return refused(401, 2006, "Access denied")
    if (headers.accept !== "application/vnd.pagerduty+json;version=2") return refused(406, 2004, "Unknown version")
    const [, id] = /^\/incidents\/([^/?]+)$/.exec(path) ?? []
    const known = decodeURIComponent(id ?? "")
    const before = incidents.get(known)
    if (before === undefined) return refused(404, 2100, "Incident Not Found")
    const shown = (status: Status) => ({ status: 200, body: { incident: { id: known, type: "incident", status } } })
    if (method === "GET") return shown(before)
    if (method !== "PUT") return refused(405, 2000, "Unknown method")
    if (headers.from !== from) return refused(400, 1008, "Requester User Not Found")
    if (headers["content-type"] !== "application/json") return refused(400, 2001, "Unknown content type")
    const { incident } = JSON.parse(body) as { incident?: { type?: string; status?: Status } }
    if (incident?.type !== "incident_reference" || incident.status === undefined)
      return refused(400, 2001, "Invalid Input Provided")
    if (before === "resolved" && incident.status !== "resolved") reopened.push(known)
    incidents.set(known, incident.status)
    return shown(incident.status)
  })

  return {
    ...tool,
    incidents,
    /** Incidents that were changed after they were resolved, which must never happen. */
    reopened
  }
}
