import { randomBytes, randomUUID } from "node:crypto"
import Fastify from "fastify"
import { access } from "./Access.ts"
import * as Audit from "./answers/Audit.ts"
import * as BatchedReads from "./BatchedReads.ts"
import { cursors } from "./Cursors.ts"
import * as Decisions from "./Decisions.ts"
import { oneByOne, secrets, together } from "./intake/Deliveries.ts"
import { edge } from "./Edge.ts"
import * as Intake from "./intake/Intake.ts"
import { lastUsed } from "./LastUsed.ts"
import * as Resolve from "./answers/Resolve.ts"
import * as Runs from "./Runs.ts"
import { connect, type Variant } from "./Statements.ts"
import * as Teams from "./Teams.ts"
import { worker } from "./Worker.ts"

const requestIdOf = (given: string | ReadonlyArray<string> | undefined) =>
  typeof given === "string" && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : randomUUID()

/**
 * The measured routes as a team would write them by hand, with Fastify and pg, on a database made by our migrations.
 * Left out, besides the omissions in the files: other routes, 405, the count of requests without a token by address.
 */
export const start = async (options: {
  readonly variant: Variant
  readonly databaseUrl: string
  /** 0 is any free port. */
  readonly port: number
}): Promise<{ readonly url: string; readonly close: () => Promise<void> }> => {
  const { databaseUrl, port, variant } = options
  const sql = connect(databaseUrl, variant)
  await sql.query(secrets)
  const uses = lastUsed(sql)
  const entrance = {
    sql,
    access: access(sql, uses.record),
    use: uses.record,
    // Cursors end with the process, which a restarting service could not afford.
    cursors: cursors(randomBytes(32))
  }
  const app = Fastify({
    logger: false,
    bodyLimit: 65_536,
    routerOptions: { maxParamLength: 16_384 },
    genReqId: ({ headers }) => requestIdOf(headers["x-request-id"])
  })
  // Handlers need the signed bytes, and report problems of a body themselves.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_, body, done) => done(null, body))
  edge(app)

  if (variant === "limit") {
    BatchedReads.decisions(app, entrance)
    BatchedReads.run(app, entrance)
    BatchedReads.teams(app, entrance)
  } else {
    Decisions.list(app, entrance)
    Runs.get(app, entrance)
    Teams.list(app, entrance)
  }
  Decisions.get(app, entrance)
  Resolve.route(app, entrance)
  Audit.list(app, entrance)
  Audit.exportFile(app, entrance)
  const judging = worker(sql)
  Intake.routes(app, sql, variant === "limit" ? together(sql) : oneByOne(sql), judging.wake)

  const url = await app.listen({ host: "127.0.0.1", port })
  return {
    url,
    close: async () => {
      await app.close()
      await judging.close()
      await uses.close()
      await sql.close()
    }
  }
}
