import * as SqlClient from "@effect/sql/SqlClient"
import { Effect } from "effect"

/**
 * Jobs are leased by the process that tries them. Running jobs of an earlier release get a lease of nobody, so that its
 * processes can end their tries. The tables of its engine go.
 */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    ALTER TABLE jobs
      ADD COLUMN holder uuid,
      ADD COLUMN leased_until timestamptz(3),
      ADD COLUMN round_start integer NOT NULL DEFAULT 0;
    UPDATE jobs SET leased_until = now() + interval '35 seconds' WHERE status = 'running';
    CREATE INDEX jobs_running ON jobs (leased_until) WHERE status = 'running';

    CREATE FUNCTION notify_of_jobs() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM added WHERE due_at IS NULL OR due_at <= statement_timestamp()) THEN
        PERFORM pg_notify('gatehouse_jobs', 'added');
      END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER jobs_notify AFTER INSERT ON jobs REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION notify_of_jobs();

    DROP TABLE IF EXISTS gatehouse_engine_messages, gatehouse_engine_replies, gatehouse_engine_runners,
      gatehouse_engine_locks, gatehouse_engine_migrations CASCADE;
  `)
)
