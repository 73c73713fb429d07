/** Meaning of the figures, and their limits. */
export const method: ReadonlyArray<string> = [
  "The peers in `bench/peers` are written by hand with Fastify 5 and pg, do the same work on the same tables and are held to the same answers by the same tests as ours: **ordinary** as most would write it, **named** with prepared statements, **limit** with the batching of reads and intake that we use, and nothing around it. They leave out what `bench/peers` says: other routes, idempotency keys, the hash chain of the audit log, sealed secrets, doing jobs. Ours does all of that while it is measured.",
  "",
  "Each service is one process with a database of its own on one Postgres (the embedded one, fsync on). Load comes from another process over raw sockets, each connection sending its next request when the last is answered. All of it shares one machine, so the load generator and Postgres take their part of the cores from every service alike.",
  "",
  "In each round all services do the same work one after the other, a different one first each time, and each waits until the one before it has nothing left to do. A ratio is taken within a round; what is shown is the median over the rounds. Every answer must have the expected status and the expected size, or the run ends without figures. Every service was warmed up before, by all works in three turns.",
  "",
  "An intake counts when it is answered (202: on disk). Its alerts are judged after that: by the peers as fast as they can, which is slower than alerts come in, by ours when the flood ebbs, after three seconds at most; so most of that is outside of what is measured, whoever does it. A batch counts when all of its alerts are in an incident. p99 of batches and exports is of few requests and says little.",
  "",
  "Not measured: TLS and networks, other hardware, Postgres on another machine, more than two processes, days of load, channels and tools that wait for others outside. With as many cores as this machine has, a second process shows that two work together, not how far they scale."
]
