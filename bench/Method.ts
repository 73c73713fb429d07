/** Meaning of the figures, and their limits. */
export const method: ReadonlyArray<string> = [
  "The peers in `bench/peers` are written by hand with Fastify 5 and pg. They do the same work on the same tables, and the same tests hold them to the same responses: **ordinary** is a typical implementation, **named** uses prepared statements, **limit** also batches reads and intake as Gatehouse does, with nothing around it. The peers have no other routes, idempotency keys, hash chain of the audit log, encrypted secrets or jobs. Gatehouse does all of that while it is measured.",
  "",
  "Each service is one process with its own database on one PostgreSQL (the embedded one, fsync on). Another process generates the load over raw sockets; each connection sends its next request when the previous one has a response. All of them share one machine, so the load generator and PostgreSQL take the same share of the cores from every service.",
  "",
  "In each round all services do the same work one after the other, a different one first each time, and each waits until the previous one is idle. Ratios are calculated within a round; the tables show the median over the rounds. Every response must have the expected status and size, or the run ends without figures. Every service is warmed up first, with each kind of work three times in turn.",
  "",
  "An intake counts when it has a response (202: on disk). Its alerts are triaged after that: by the peers as fast as they can, which is slower than alerts arrive, by Gatehouse when the flood ebbs, after three seconds at most; so most of the triage is outside the measured time for all services. A batch counts when all of its alerts are in an incident. The p99 of batches and exports is based on few requests and has little meaning.",
  "",
  "Not measured: TLS and networks, other hardware, PostgreSQL on another machine, more than two processes, days of load, channels and tools that wait for external systems. On a machine with this many cores, a second process shows that two work together, not how far they scale."
]
