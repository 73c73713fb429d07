/** Every change of alerts and incidents of a workspace takes this lock, before every other lock. */
const number = (workspace: string) => `hashtextextended('on call of ' || ${workspace}, 0)`

export const tryLock = (workspace: string) => `pg_try_advisory_xact_lock(${number(workspace)})`

export const lock = (workspace: string) => `pg_advisory_xact_lock(${number(workspace)})`
