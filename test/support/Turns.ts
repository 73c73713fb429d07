// @effect-diagnostics processEnv:off globalDate:off
/** Rows of test files of one kind: `npm test` runs one file of each row a day, CI and the long form run all. */
export const rows: ReadonlyArray<ReadonlyArray<string>> = [
  ["chaos/chaos", "races/crash", "signals/crash", "jobs/twoProcesses"],
  ["http/outage", "jobs/outage", "following/outage"],
  ["races/answers", "races/runs", "races/deadlock"],
  ["races/expiry", "races/deletion", "races/leases"],
  ["races/scheduling", "races/idempotency"],
  ["runner/service", "runner/canary", "runner/ownership"],
  ["runner/startup", "runner/commands", "runner/agents/doctor"],
  ["runner/trees", "runner/process"],
  ["runner/agents/claudeCode", "runner/agents/otherPrograms"],
  ["codehost/localHost", "codehost/githubHost"],
  ["codehost/githubQueue", "codehost/githubJobs", "codehost/githubTrouble", "codehost/hostile"],
  ["tracker/githubBoards", "tracker/writeBack"],
  ["tracker/rounds", "tracker/histories", "tracker/boards"],
  ["tracker/dryRun", "tracker/trust"],
  ["model/model", "contract/agreement"],
  ["http/export", "http/mcp/streams", "http/server/connections"],
  ["http/mcp/tools", "http/mcp/hostile", "http/mcp/wire"],
  ["http/instances", "http/server/refusedBodies", "http/mcp/clients"],
  ["postgres/trouble", "postgres/chain", "postgres/notifications"],
  ["postgres/pool", "postgres/changeFeed"],
  ["postgres/leasing", "postgres/dueWork", "postgres/writers"],
  ["cli/services", "cli/teams", "cli/stories", "cli/work"],
  ["cli/reports", "cli/uptime", "cli/onCall", "cli/heldMerges"],
  ["cli/notifications", "cli/lists", "cli/places", "cli/acting"],
  ["sources/sourceApis", "sources/credentials", "sources/opsgenieApi"],
  ["web/livePages", "web/connections", "web/sentOnce"],
  ["cli/reads", "cli/verbs"],
  ["intake/sns", "intake/bearers"],
  ["intake/pagerduty", "intake/statuspage"],
  ["web/sources", "web/services"],
  ["web/work/teams", "web/work/stories"],
  ["web/incidents", "web/decisions"],
  ["web/audit", "web/settings"],
  ["web/tracker", "web/pulls", "web/notifications"],
  ["start/output", "start/badSettings", "start/version"],
  ["postgres/embedded", "postgres/embeddedRefusals"],
  ["application/rights", "application/restRights"],
  ["jobs/engine", "application/checking", "application/lastUsed"]
].map((row) => row.map((name) => `test/${name}.test.ts`))

/** The day whose shares are run: that of `DAY=n`, or today. */
export const day = (): number => {
  const given = process.env["DAY"] || String(Math.floor(Date.now() / 86_400_000))
  if (/^\d{1,9}$/.test(given)) return Number(given)
  throw new RangeError(`DAY is "${given}", and must be a whole number, such as the one that npm test prints.`)
}

/** The files of all rows whose turn is on another day. */
export const notOn = (day: number): ReadonlyArray<string> =>
  rows.flatMap((row) => row.filter((_, index) => index !== day % row.length))
