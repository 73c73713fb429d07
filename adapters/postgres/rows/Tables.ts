/** SQL that writes rows of a table: all of them arrive as one JSON array, in the named parameter. */
const table = (name: string, key: ReadonlyArray<string>, columns: Readonly<Record<string, string>>) => {
  const names = Object.keys(columns)
  const isTenants = name !== "workspaces"
  const owner = isTenants ? ["workspace_id"] : []
  const typed = names.map((column) => `"${column}" ${columns[column]}`).join(", ")
  const insert = (rows: string) => `
    INSERT INTO ${name} (${[...owner, ...names].join(", ")})
    SELECT ${[...(isTenants ? ["$1::uuid"] : []), ...names.map((column) => `r."${column}"`)].join(", ")}
    FROM ROWS FROM (json_to_recordset(${rows}::json) AS (${typed})) WITH ORDINALITY AS r
    WHERE $1::uuid IS NOT NULL ORDER BY r.ordinality`
  const updates = names.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`)
  return {
    insert,
    upsert: (rows: string) =>
      `${insert(rows)} ON CONFLICT (${[...owner, ...key].join(", ")}) DO UPDATE SET ${updates.join(", ")}`
  }
}

const uuid = "uuid"
const text = "text"
const time = "timestamptz"
const int = "integer"
const json = "json"

export const tables = {
  workspaces: table("workspaces", ["id"], { id: uuid, slug: text, name: text, created_at: time, deleted_at: time }),
  members: table("members", ["id"], {
    id: uuid,
    email: text,
    name: text,
    role: text,
    created_at: time,
    removed_at: time
  }),
  api_tokens: table("api_tokens", ["id"], {
    id: uuid,
    member_id: uuid,
    name: text,
    prefix: text,
    hash: text,
    permissions: "text[]",
    created_at: time,
    expires_at: time,
    revoked_at: time
  }),
  teams: table("teams", ["slug"], {
    slug: text,
    id: uuid,
    name: text,
    description: text,
    key_prefix: text,
    paused_at: time,
    tracker_project: json,
    repositories: "text[]",
    created_at: time,
    updated_at: time,
    deleted_at: time
  }),
  policies: table("policies", ["team"], {
    team: text,
    preset: text,
    custom: "boolean",
    version: int,
    executor: text,
    max_concurrency: int,
    run_cents: int,
    day_cents: int,
    month_cents: int,
    plan_approval: text,
    merge_policy: text,
    denied_paths: "text[]",
    acceptance_spec_required: "boolean",
    gate_failure_budget: int,
    merge_max_lines: int,
    decision_hours: int,
    updated_at: time
  }),
  services: table("services", ["id"], {
    id: uuid,
    team: text,
    name: text,
    settings: json,
    created_at: time,
    updated_at: time,
    deleted_at: time
  }),
  places: table("places", ["team", "name"], {
    team: text,
    name: text,
    kind: text,
    address: text,
    created_at: time,
    removed_at: time
  }),
  signal_sources: table("signal_sources", ["id"], {
    id: uuid,
    name: text,
    kind: text,
    token: text,
    secrets: json,
    services: "uuid[]",
    is_timestamp_required: "boolean",
    topic: text,
    disconnected_at: time,
    credentials: text,
    trouble: text,
    check_settings: json,
    severities: json,
    paused_at: time,
    created_at: time,
    updated_at: time,
    deleted_at: time
  }),
  incidents: table("incidents", ["key"], {
    key: text,
    team: text,
    service: uuid,
    environment: text,
    status: text,
    severity: text,
    title: text,
    alerts: int,
    opened_at: time,
    resolved_at: time,
    acknowledged_at: time,
    acknowledged_by: text,
    update_due_at: time,
    told: text,
    notified_at: time,
    reached_at: time,
    investigation: json
  }),
  alerts: table("alerts", ["id"], {
    id: uuid,
    source: uuid,
    service: uuid,
    fingerprint: text,
    status: text,
    severity: text,
    title: text,
    environment: text,
    description: text,
    labels: json,
    links: json,
    started_at: time,
    ended_at: time,
    fired_at: time,
    recovered_at: time,
    first_seen_at: time,
    last_seen_at: time,
    count: int,
    reason: text,
    explanation: text,
    incident: text
  }),
  stories: table("stories", ["key"], {
    key: text,
    id: uuid,
    team: text,
    title: text,
    description: text,
    column_id: text,
    column_name: text,
    column_role: text,
    draft: "boolean",
    readiness_score: "double precision",
    size: text,
    complexity: text,
    class_of_service: text,
    tracker: json,
    acceptance_criteria: json,
    demonstrate: json,
    test_plan: text,
    return_note: text,
    rejected_at: time,
    created_at: time,
    updated_at: time
  }),
  runs: table("runs", ["key"], {
    key: text,
    team: text,
    story: text,
    status: text,
    stage: text,
    executor: text,
    attempts: int,
    cost_cents: "bigint",
    budget_cents: int,
    failure_class: text,
    pull_request: json,
    evidence: json,
    inputs: json,
    exceptions: json,
    gate_failures: json,
    merged_at: time,
    started_at: time,
    completed_at: time,
    created_at: time
  }),
  attempts: table("attempts", ["run_key", "attempt"], {
    run_key: text,
    attempt: int,
    status: text,
    stage: text,
    executor: text,
    cost_cents: int,
    failure_class: text,
    error: text,
    verification: json,
    started_at: time,
    completed_at: time
  }),
  jobs: table("jobs", ["id"], {
    id: uuid,
    kind: text,
    status: text,
    team: text,
    story: text,
    run_key: text,
    decision: text,
    payload: json,
    tries: int,
    error: text,
    lane: text,
    due_at: time,
    created_at: time,
    updated_at: time
  }),
  decisions: table("decisions", ["key"], {
    key: text,
    kind: text,
    authority: text,
    title: text,
    body: text,
    status: text,
    recommendation: text,
    options: json,
    team: text,
    story: text,
    run_key: text,
    resolution: json,
    resolved_via: text,
    resolved_at: time,
    expires_at: time,
    created_at: time,
    subject: text,
    resolved_by: text
  }),
  notifications: table("notifications", ["id"], {
    id: uuid,
    member: uuid,
    incident: text,
    event: text,
    subject: text,
    text: text,
    created_at: time,
    read_at: time
  }),
  kept_answers: table("kept_answers", ["token_id", "key"], {
    token_id: uuid,
    key: text,
    request: text,
    answer: text,
    created_at: time
  })
}

export type TableName = keyof typeof tables
