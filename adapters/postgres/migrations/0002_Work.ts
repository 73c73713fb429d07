import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/** Teams, stories, runs and decisions. `json`, not `jsonb`, keeps keys in the order they are shown. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    CREATE TABLE teams (
      workspace_id uuid NOT NULL REFERENCES workspaces,
      slug text NOT NULL CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
      id uuid NOT NULL,
      name text NOT NULL CHECK (name <> ''),
      description text,
      key_prefix text NOT NULL CHECK (key_prefix ~ '^[A-Z][A-Z0-9]{0,9}$'),
      paused_at timestamptz(3),
      tracker_project json,
      repositories text[] NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3),
      deleted_at timestamptz(3),
      PRIMARY KEY (workspace_id, slug),
      UNIQUE (workspace_id, id),
      UNIQUE (workspace_id, key_prefix)
    );
    CREATE INDEX teams_by_name ON teams (workspace_id, lower(name COLLATE "C") COLLATE "C", slug COLLATE "C")
      WHERE deleted_at IS NULL;

    CREATE TABLE policies (
      workspace_id uuid NOT NULL,
      team text NOT NULL,
      preset text NOT NULL CHECK (preset IN ('trial', 'guarded', 'standard', 'autonomous')),
      custom boolean NOT NULL,
      version integer NOT NULL CHECK (version > 0),
      executor text NOT NULL,
      max_concurrency integer NOT NULL CHECK (max_concurrency >= 0),
      run_cents integer CHECK (run_cents >= 0),
      day_cents integer CHECK (day_cents >= 0),
      month_cents integer CHECK (month_cents >= 0),
      plan_approval text NOT NULL CHECK (plan_approval IN ('always', 'large_stories', 'never')),
      merge_policy text NOT NULL CHECK (merge_policy IN ('manual', 'small_changes', 'verified')),
      denied_paths text[] NOT NULL CHECK ('.kanman/acceptance/**' = ANY (denied_paths)),
      acceptance_spec_required boolean NOT NULL CHECK (acceptance_spec_required OR preset = 'trial'),
      gate_failure_budget integer NOT NULL CHECK (gate_failure_budget >= 0),
      merge_max_lines integer NOT NULL CHECK (merge_max_lines >= 0),
      decision_hours integer NOT NULL CHECK (decision_hours BETWEEN 1 AND 8760),
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (workspace_id, team),
      FOREIGN KEY (workspace_id, team) REFERENCES teams
    );

    CREATE TABLE services (
      workspace_id uuid NOT NULL,
      id uuid NOT NULL,
      team text NOT NULL,
      name text NOT NULL CHECK (name <> ''),
      settings json NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3),
      deleted_at timestamptz(3),
      PRIMARY KEY (workspace_id, id),
      FOREIGN KEY (workspace_id, team) REFERENCES teams
    );
    CREATE UNIQUE INDEX services_name ON services (workspace_id, lower(name));

    CREATE TABLE stories (
      workspace_id uuid NOT NULL,
      key text NOT NULL CHECK (key ~ '^[A-Z][A-Z0-9]{0,9}-[1-9][0-9]{0,8}$'),
      seq bigint GENERATED ALWAYS AS IDENTITY,
      id uuid NOT NULL,
      team text NOT NULL,
      number integer NOT NULL GENERATED ALWAYS AS (split_part(key, '-', 2)::integer) STORED,
      title text NOT NULL CHECK (title <> ''),
      description text,
      column_id text NOT NULL,
      column_name text NOT NULL,
      column_role text NOT NULL CHECK (column_role IN ('backlog', 'refining', 'ready', 'in_progress', 'review', 'done')),
      draft boolean NOT NULL,
      readiness_score double precision NOT NULL CHECK (readiness_score BETWEEN 0 AND 100),
      size text CHECK (size IN ('xs', 's', 'm', 'l', 'xl')),
      complexity text CHECK (complexity IN ('low', 'medium', 'high')),
      class_of_service text NOT NULL CHECK (class_of_service IN ('standard', 'expedite', 'fixed_date', 'intangible')),
      tracker json,
      acceptance_criteria json NOT NULL,
      demonstrate json NOT NULL,
      test_plan text,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (workspace_id, key),
      UNIQUE (workspace_id, id),
      UNIQUE (workspace_id, team, number),
      FOREIGN KEY (workspace_id, team) REFERENCES teams
    );
    CREATE INDEX stories_of_team ON stories (workspace_id, team, seq);
    CREATE INDEX stories_approved ON stories (workspace_id, team, seq) WHERE NOT draft;

    CREATE TABLE runs (
      workspace_id uuid NOT NULL,
      key text NOT NULL CHECK (key ~ '^run-[0-9a-hjkmnp-tv-z]{4}$'),
      seq bigint GENERATED ALWAYS AS IDENTITY,
      team text NOT NULL,
      story text NOT NULL,
      status text NOT NULL
        CHECK (status IN ('queued', 'running', 'waiting', 'succeeded', 'failed', 'timed_out', 'stopped')),
      stage text NOT NULL CHECK (stage IN ('planning', 'implementing', 'verifying', 'handing_off', 'done')),
      executor text NOT NULL,
      attempts integer NOT NULL CHECK (attempts > 0),
      cost_cents bigint NOT NULL CHECK (cost_cents >= 0),
      budget_cents integer NOT NULL CHECK (budget_cents >= 0),
      failure_class text
        CHECK (failure_class IN ('transient', 'persistent', 'policy', 'budget', 'gate', 'dependency')),
      pull_request json,
      evidence json,
      started_at timestamptz(3),
      completed_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (workspace_id, key),
      FOREIGN KEY (workspace_id, team) REFERENCES teams,
      FOREIGN KEY (workspace_id, story) REFERENCES stories
    );
    CREATE INDEX runs_newest ON runs (workspace_id, seq);
    CREATE INDEX runs_of_team ON runs (workspace_id, team, seq);
    CREATE INDEX runs_of_story ON runs (workspace_id, story, seq);
    CREATE INDEX runs_unfinished ON runs (workspace_id, team, seq) WHERE status IN ('queued', 'running', 'waiting');

    CREATE TABLE attempts (
      workspace_id uuid NOT NULL,
      run_key text NOT NULL,
      attempt integer NOT NULL CHECK (attempt > 0),
      status text NOT NULL
        CHECK (status IN ('queued', 'running', 'waiting', 'succeeded', 'failed', 'timed_out', 'stopped')),
      stage text NOT NULL CHECK (stage IN ('planning', 'implementing', 'verifying', 'handing_off', 'done')),
      executor text NOT NULL,
      cost_cents integer NOT NULL CHECK (cost_cents >= 0),
      failure_class text
        CHECK (failure_class IN ('transient', 'persistent', 'policy', 'budget', 'gate', 'dependency')),
      error text,
      verification json,
      started_at timestamptz(3),
      completed_at timestamptz(3),
      PRIMARY KEY (workspace_id, run_key, attempt),
      FOREIGN KEY (workspace_id, run_key) REFERENCES runs
    );

    CREATE TABLE decisions (
      workspace_id uuid NOT NULL,
      key text NOT NULL CHECK (key ~ '^dec-[0-9a-hjkmnp-tv-z]{4}$'),
      seq bigint GENERATED ALWAYS AS IDENTITY,
      kind text NOT NULL CHECK (kind IN (
        'plan_approval', 'policy_exception', 'clarification', 'budget_stop', 'verification_failed', 'gate_failure',
        'diff_guard', 'repeated_gate_failure', 'merge_approval', 'revert_approval', 'main_red_incident',
        'maintenance_proposal', 'strategy_proposal', 'scope_change')),
      authority text NOT NULL CHECK (authority IN ('member', 'admin', 'owner')),
      title text NOT NULL CHECK (title <> ''),
      body text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending', 'resolved', 'expired', 'cancelled', 'superseded')),
      recommendation text NOT NULL,
      options json NOT NULL CHECK (json_array_length(options) BETWEEN 2 AND 4),
      team text NOT NULL,
      story text,
      run_key text,
      resolution json CHECK (resolution IS NULL OR status = 'resolved'),
      resolved_via text CHECK (resolved_via IN ('app', 'slack', 'mcp', 'api')),
      resolved_at timestamptz(3),
      expires_at timestamptz(3),
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (workspace_id, key),
      FOREIGN KEY (workspace_id, team) REFERENCES teams,
      FOREIGN KEY (workspace_id, story) REFERENCES stories,
      FOREIGN KEY (workspace_id, run_key) REFERENCES runs
    );
    CREATE INDEX decisions_newest ON decisions (workspace_id, seq);
    CREATE INDEX decisions_by_status ON decisions (workspace_id, status, seq);
    CREATE INDEX decisions_of_team ON decisions (workspace_id, team, seq);
    CREATE INDEX decisions_of_team_by_status ON decisions (workspace_id, team, status, seq);
    CREATE INDEX decisions_of_run ON decisions (workspace_id, run_key, seq);
    CREATE INDEX decisions_of_story ON decisions (workspace_id, story);
  `)
)
