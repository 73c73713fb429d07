import * as OpenApi from "@effect/platform/OpenApi"
import { publish } from "./OpenApiDocument.ts"
import * as OperationErrors from "../OperationErrors.ts"

const codes = [...OperationErrors.all.values()]
  .toSorted((one, other) => one.status - other.status)
  .map(({ code, status, when }) => `| ${status} | \`${code}\` | ${when} |`)

const text = `Gatehouse runs AI teams that work on software stories, and is the place where people stay in charge.

**Tokens.** Every request but the open ones carries \`Authorization: Bearer tk_…\`. A token is personal, reaches one
workspace, has permissions (\`read\`, \`write\`, \`delete\`, \`admin\`, which includes the others) and expires.
Reading needs \`read\`, answering a decision \`write\`.

**Errors.** Every answer that is not a success has the body \`{"error":{"code","message"}}\`. The code is stable; the
message names what was received, what is allowed and the way out. Each operation lists its own; these are all of them:

| Status | Code | When |
|---|---|---|
${codes.join("\n")}
| 400, 408, 431 | \`invalid_request\` | the request is not well-formed HTTP, arrives too slowly, or has headers over 16 KB |

Checks come in this order: route (404, 405, 410), token (401), rate limit (429), permission (403), size and type (413,
415), syntax (400), existence (404), repetition under an Idempotency-Key, authority (403), state (409), option (400).
What belongs to another workspace, or to a deleted team, does not exist for you: 404.

**Answers.** The first answer to a decision wins, whichever channel it comes from; whoever comes later gets 409 and is
told who answered, when and how. With an \`Idempotency-Key\` a request can be repeated safely: the same token, key and
body within 24 hours get the first answer again, marked by \`Idempotent-Replayed: true\`, and nothing happens twice.
Only successes are kept.

**Lists** are newest first, \`{data, nextCursor}\`. Pass nextCursor unchanged as \`cursor\`, with the same filters, until
it is null; \`limit\` may change. A cursor that was altered, or belongs to another list, other filters or another
workspace, is \`invalid_cursor\`. Unknown query parameters are ignored.

**Limits.** 120 requests a minute per token, in a window that its first request opens; X-RateLimit-Limit, -Remaining and
-Reset (Unix seconds) are on every answer, also where nothing is counted. Over it: 429 with Retry-After in seconds.

**Alert intake.** Alerting tools post to \`/signals/<source token>\`, without an API token: each kind of source proves
itself by its tool's own signature, secret or key. Checks come in this order: address (404), size (413, 524,288 bytes),
proof (401), readable (400), stored (503 when that is not possible now), 202. The body is JSON whatever its content type
says. \`rejected\` tells of alerts in a batch that cannot be read; one good alert is enough for 202. The intake is not
limited.

**Values.** Keys are read in any case. Timestamps are UTC with three fraction digits. Single resources carry an ETag;
If-None-Match answers 304. HEAD works wherever GET does. X-Request-Id is echoed when sane, else made.`

export const annotations = OpenApi.annotations({
  title: "Gatehouse",
  version: "1.0.0",
  description: text,
  license: { name: "MIT", url: "https://opensource.org/license/mit" },
  transform: publish
})
