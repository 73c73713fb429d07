import { FastCheck } from "effect"
import { problemsOf, type Secrets } from "./Judging.ts"
import { lane, type Outcome } from "./Sending.ts"
import { type Request, shown } from "./Wire.ts"

const perSample = 100

/** Result of a run of requests. */
export interface Report {
  readonly sent: number
  /** Number of responses by status; 0 is a client that left before the response. */
  readonly statuses: ReadonlyMap<number, number>
  /** Problems, each with the whole request to send it again. */
  readonly findings: ReadonlyArray<string>
}

export interface Plan {
  readonly url: string
  /** The request at an index; read in order. */
  readonly requestAt: (index: number) => Request
  readonly secrets: Secrets
  /** Shown in findings. */
  readonly seed: number
  readonly count: number
  readonly lanes?: number
  /** Milliseconds to wait for a response. */
  readonly patience?: number
  /** Called now and then, while no request is in progress. */
  readonly between?: () => Promise<void>
}

const mostFindings = 20
const perRound = 4000

/** Requests by index, drawn a hundred at a time; they depend on the seed alone. */
export const drawn = (requests: FastCheck.Arbitrary<Request>, seed: number): Plan["requestAt"] => {
  let latest = -1
  let sample: ReadonlyArray<Request> = []
  return (index) => {
    const turn = Math.floor(index / perSample)
    if (turn !== latest) sample = FastCheck.sample(requests, { seed: seed + turn, numRuns: perSample })
    latest = turn
    return sample[index % perSample] as Request
  }
}

const mostRetries = 3

/**
 * Sends a request, and again after a 503, as its Retry-After asks: a machine that stalls answers 503 once, a request that
 * causes a 503 causes it every time.
 */
const insist = async (
  connection: ReturnType<typeof lane>,
  request: Request,
  retries = mostRetries
): Promise<Outcome> => {
  const outcome = await connection.send(request)
  const isAway = !request.mayBeUnavailable && outcome.answers.some(({ status }) => status === 503)
  return isAway && retries > 0 ? insist(connection, request, retries - 1) : outcome
}

/** Sends that many requests on a few connections at once, and checks every response. */
export const fuzz = async (plan: Plan): Promise<Report> => {
  const statuses = new Map<number, number>()
  const findings: Array<string> = []
  let sent = 0

  const judge = async (connection: ReturnType<typeof lane>, request: Request, index: number) => {
    const outcome = await insist(connection, request)
    sent++
    const status = outcome.answers[0]?.status ?? 0
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const problems = problemsOf(request, outcome, plan.secrets)
    if (problems.length === 0) return
    const answer = outcome.answers[0]
    const came = answer === undefined ? "nothing" : `${answer.head}\n${answer.body.toString("utf8").slice(0, 500)}`
    findings.push(
      [
        `Request ${index} of seed ${plan.seed} (${request.manner}, ${request.framing}): ${problems.join("; ")}`,
        `sent ${shown(request)}`,
        `came ${came}`,
        ...(outcome.after === null ? [] : [`after ${shown(outcome.after)}`])
      ].join("\n")
    )
  }

  const lanes = Array.from({ length: plan.lanes ?? 8 }, () => lane(plan.url, plan.patience ?? 5000))
  for (let from = 0; from < plan.count && findings.length < mostFindings; from += perRound) {
    const to = Math.min(plan.count, from + perRound)
    let next = from
    const work = lanes.map(async (connection) => {
      while (next < to && findings.length < mostFindings) {
        const index = next++
        await judge(connection, plan.requestAt(index), index)
      }
    })
    await Promise.all(work)
    await plan.between?.()
  }
  for (const connection of lanes) connection.close()
  return { sent, statuses, findings }
}

/** "200: 512, 404: 77", the lowest first. */
export const spread = (statuses: Report["statuses"]): string =>
  [...statuses]
    .toSorted(([one], [two]) => one - two)
    .map(([status, count]) => `${status === 0 ? "no answer" : status}: ${count.toLocaleString("en")}`)
    .join(", ")
