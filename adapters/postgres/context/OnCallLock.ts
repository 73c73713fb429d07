/** Whatever changes alerts and incidents of a workspace takes its turn on this lock, before every other. */
const number = (workspace: string) => `hashtextextended('on call of ' || ${workspace}, 0)`

export const tryLock = (workspace: string) => `pg_try_advisory_xact_lock(${number(workspace)})`

export const lock = (workspace: string) => `pg_advisory_xact_lock(${number(workspace)})`
