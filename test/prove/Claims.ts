// @effect-diagnostics processEnv:off
import type { Proof } from "./Page.ts"
import { type Report, type Tally, tally } from "./Suite.ts"

/** The wire that the fuzz tests used alone. */
const wire = process.env["FUZZ_WIRE"] ?? ""

const named = (name: string, found: Tally | null): Tally | null =>
  found && { ...found, figures: `${name}: ${found.figures}` }

/** Each claim of the page with the tests that show it. */
export const proofsOf = (report: Report, clones: Proof["tallies"]): ReadonlyArray<Proof> =>
  (
    [
      ["On a fresh clone with an empty npm cache both README commands work, as root and as an ordinary user", clones],
      [
        "Every route answers every kind of request with the ruled status, exact error body and all headers",
        ["memory", "postgres", "deno"].map((world) =>
          named(world, tally(report, new RegExp(`http/${world}\\.(test|long)`)))
        )
      ],
      [
        "1,000 rows with equal timestamps, every page size from 1 to 100, inserts going on: the pages are the snapshot, no row twice",
        ["memory", "postgres"].map((adapter) =>
          named(adapter, tally(report, /contract/, new RegExp(`pages \\(${adapter}\\)`)))
        )
      ],
      [
        "A cursor that was altered, or is of other filters or another workspace, is refused",
        [tally(report, /cursors\.test/)]
      ],
      [
        "Two instances on one database, one token, 1,000 parallel requests: exactly 120 pass",
        [tally(report, /instances\.test/, /exactly 120/)]
      ],
      [
        "1,000 answers to one decision at once, over two instances, a quarter each through the REST API, as forms of the app, as tools of agents, and as calls of the use case labelled slack: one takes effect, 999 name its answer",
        [tally(report, /races\/answers\.test/)]
      ],
      [
        "kill -9 at random points of 500 answers: each has all of its effects or none, and none that was confirmed is lost",
        [tally(report, /races\/crash\./)]
      ],
      [
        "Random sequences of every operation: memory, Postgres and a reference model agree in every answer and in the end",
        [tally(report, /model\.test/)]
      ],
      [
        "The services we are measured against answer every measured route as ours does",
        [tally(report, /bench\/peers\.test/)]
      ],
      [
        "What clients poll takes one statement, shared by all that wait for it; an answer takes one each to lock, look and write",
        [tally(report, /http\/statements\.test/)]
      ],
      [
        "Every operation, by every role and with every permission, does what one table says; nothing changes off the record",
        [tally(report, /(rights|restRights|onRecord)\.test/i)]
      ],
      [
        "Two processes on one Postgres do every queued job, though one is killed (-9) in the middle; no process does one twice",
        [tally(report, /twoProcesses\.test/)]
      ],
      [
        "Every signature vector and SNS message is proven, and refused with any byte, digit or character another",
        [tally(report, /intake\/(proofs|bearers|sns|snsOracle)\.test/)]
      ],
      [
        "Eleven kinds of sender: firing, resolved, repeats, tests, handshakes, garbage, unknown events, each field written out",
        [tally(report, /intake\/(?!proofs|bearers|sns)/)]
      ],
      [
        "Deliveries of 524,288 bytes pass and of one more are refused, by length and in chunks; every status of the intake",
        ["memory", "postgres", "deno"].map((world) =>
          named(world, tally(report, new RegExp(`http/${world}\\.(test|long)`), /POST \/signals/))
        )
      ],
      [
        "On-call hours agree with Temporal around every offset change of two years, in every zone",
        [tally(report, /onCallHours/)]
      ],
      [
        "Whatever order the same timed events come in, the same alerts fire and the same services have an open incident",
        [tally(report, /domain\/oncall\/triage/)]
      ],
      [
        "10,000 deliveries with kill -9 and Postgres restarts in between: every 202 is an alert, none is doubled",
        [tally(report, /signals\/crash\.test/)]
      ],
      [
        "A storm of 5,000 alerts for one service is one incident; members are told once, a place gets a handful of messages",
        [tally(report, /signals\/storm\.long/)]
      ],
      [
        "With mail server, webhook receiver and PagerDuty away and kill -9 in between, everything arrives in order; two instances send nothing twice",
        [tally(report, /following\/outage\.test/)]
      ],
      [
        "An alert leads to an incident, a revert to approve, an answer and a job; observing only, nothing is changed",
        [tally(report, /following\/(following|investigating)\.test/)]
      ],
      ["Hostile addresses are connected to by nobody", [tally(report, /notify\/hostile\.test/)]],
      ["Every channel keeps the same contract", [tally(report, /notify\/notifiers\.test/)]],
      [
        "PagerDuty and Opsgenie are told once, and what is resolved is never reopened",
        [tally(report, /test\/sources\//)]
      ],
      ["Each uptime check runs once over all instances", [tally(report, /(contract|checking\.test)/, /check/i)]],
      ["A real Alertmanager delivers firing and resolved", [tally(report, /signals\/alertmanager\.long/)]],
      ["With the database gone or silent, 503 within 2 s, and no restart after", [tally(report, /http\/outage\.test/)]],
      ["Every list and filter stands on an index", [tally(report, /plans\.long/i)]],
      [
        "64 writers on one workspace at once: the audit chain has no fork and no gap, and verifies meanwhile",
        [tally(report, /(contract|writers\.test)/, /64/)]
      ],
      [
        "One flipped byte anywhere in an audit entry is found at that entry, and so is every other tampering tried",
        [tally(report, /(flips|chain)\.test/)]
      ],
      [
        "A page of 1,000,000 audit entries costs what it costs of 10,000, whatever is filtered",
        [tally(report, /auditPages\.long/)]
      ],
      [
        "An export of 5,000 of 1,000,000 audit entries takes under 2 s and 64 MB of memory",
        [tally(report, /export\.test/)]
      ],
      [
        "A formula in an export is text, the 5,001st entry is left out and said so, and bounds of time are exact",
        [
          tally(
            report,
            /(auditBounds|csv|http\/(memory|postgres))\.test/,
            /CSV|cell|5,000 are exported|bounds of time|a day/
          )
        ]
      ],
      [
        "The OpenAPI document lints without errors, a generated client reads every route, document and code agree",
        [tally(report, /openapi/)]
      ],
      [
        "Whatever bytes are sent, every answer is documented, none hangs or shows anything of another workspace, and none is a 5xx but the 503 of a source whose certificate is out of reach",
        [wire === "" ? tally(report, /test\/fuzz\//) : null]
      ],
      [
        "The same of the MCP server alone (`FUZZ_WIRE=mcp npm run prove test/fuzz`): hostile arguments, deep JSON, wrong headers, mismatched `_meta`, batches",
        [wire === "mcp" ? tally(report, /fuzz\/fuzz\.test/) : null]
      ],
      [
        "Every parser, regular expression and proof takes time in proportion to its input, over all tools, headers, cursors, query strings and arguments",
        [tally(report, /test\/linear\//)]
      ],
      [
        "Clients that never read are cut after 15 s, an address has a quarter of the connections, and requests sent at once are answered in turn",
        [tally(report, /(connections|stalledClients|slowReaders)\./)]
      ],
      [
        "A client that still sends a body that is refused reads the answer",
        [tally(report, /http\/server\/refusedBodies\.test/)]
      ],
      [
        "Guessed tokens and sources are refused before any lookup, and others take at most three times as long as alone",
        [tally(report, /http\/server\/flood(Guard)?\./), tally(report, /chaos\/chaos\.test/, /guessed/)]
      ],
      [
        "Every page runs its own scripts alone and asks nobody else (`npm run test:browser` shows it in a browser)",
        ["memory", "postgres"].map((world) =>
          named(world, tally(report, new RegExp(`http/${world}\\.(test|long)`), /every page runs|the reference is set/))
        )
      ],
      [
        "Of two workspaces that are twins, nothing of the other is ever shown or changed, and each workspace predicate is needed",
        [tally(report, /test\/twins\//)]
      ],
      ["Every reference between tables stays within a workspace", [tally(report, /tenancy\.test/)]],
      ["Secrets planted in every input are in no log, trace, answer or table", [tally(report, /test\/secrets\//)]],
      [
        "What was sealed with one key is sealed anew with another, and a service with the wrong key does not start",
        [tally(report, /rewrap\.long/)]
      ],
      [
        "kill -9, database restarts, ten minutes between clocks: nothing is lost or doubled, every history is linearizable",
        [tally(report, /chaos\/chaos\.test/, /kill -9|cut off/)]
      ],
      [
        "20 rolling restarts fail no request of a client that tries once more at the other instance",
        [tally(report, /chaos\/chaos\.test/, /rolling/)]
      ],
      [
        "A database that is gone, locked or out of disk",
        [tally(report, /chaos\/(chaos\.test|disk\.long)/, /gone|lock|full/)]
      ],
      ["One noisy token or source does not slow down the others", [tally(report, /chaos\/chaos\.test/, /token/)]],
      [
        "A follower of one instance gets every entry that another writes, once and in order, though its connections are killed; a thousand followers cost one query a look",
        [tally(report, /changeFeed\.test/)]
      ],
      [
        "The decisions page of 100,000 decisions is under 100 KB with all it loads and takes under 30 ms; 500 live pages take under 150 MB, an answer reaches all within 1 s by one listener, and after a restart they come back spread out",
        [tally(report, /web\/(speed\.long|livePages\.test|liveScript\.test)/)]
      ],
      [
        "Every page of the app takes few statements and has all headers of a page that runs only its own scripts",
        [tally(report, /web\/everyPage\.test/)]
      ],
      [
        "From an accepted alert to the mail and to the post, jobs a second, takeover after kill -9",
        [tally(report, /jobs\/speed/)]
      ],
      ["Memory and Postgres keep the same contract", [tally(report, /contract/)]],
      ["The layer rules fire on planted violations", [tally(report, /layers\.long/)]],
      ["The embedded Postgres survives its traps", [tally(report, /postgres\/embedded\w*\.(test|long)/)]],
      [
        "Two services in two pid namespaces on one data folder: one server, the other start is refused, and a dead one never blocks",
        [tally(report, /start\/elsewhere\.long/), tally(report, /chaos\/embedded\.long/, /namespace/)]
      ],
      [
        "kill -9 of the embedded Postgres: it is started again and nothing is lost; five deaths within a minute end the service",
        [tally(report, /start\/supervised\.test/, /the Postgres of/), tally(report, /chaos\/embedded\.long/, /kill -9/)]
      ],
      [
        "SIGTERM to npm start ends the service and its Postgres",
        [tally(report, /start\/start\.test/, /a SIGTERM to npm alone/)]
      ],
      ["A start waits for a database that is not up yet, and says so once", [tally(report, /start\/waiting\.long/)]],
      [
        "A database with a newer schema stops the start; with another schema /readyz fails",
        [tally(report, /start\/schema\.long/)]
      ],
      [
        "A story goes from Ready to its end with a real service, runner, agent and repository: merged by policy and by approval, a plan changed by a note, a denied path, a changed spec, a failing gate, a failure that a person allows, a budget raised, a stop, an expiry",
        [tally(report, /runner\/wholeWay\./)]
      ],
      [
        "An agent that ignores requests to end is gone within 30 s after a person stopped its run: at most one renewal, and the grace of its processes",
        [tally(report, /runner\/stopping\.long/), tally(report, /runner\/service\.test/, /a stop of the run/)]
      ],
      [
        "50 runs over 3 runners with kill -9 of runner, agent and service, revoked tokens and a service away for a minute: every run ends, each attempt once, nothing is merged twice, no process is left",
        [tally(report, /runner\/fleet\.long/)]
      ],
      [
        "A lease has one holder: an older fence, a lapsed lease and a revoked token change nothing, on memory and Postgres",
        [tally(report, /contract/, /^leases/)]
      ],
      [
        "Both client libraries call every tool over HTTP and standard input, and are refused with tokens that are missing, unknown, revoked or of another workspace; every tool by every role does what one table says",
        [tally(report, /http\/mcp\/(clients|tools|agents|wire)\.test/)]
      ],
      [
        "500 open streams of agents take under 100 MB, and those of a revoked token end within 2 s",
        [tally(report, /http\/mcp\/streams\.(test|long)/)]
      ],
      [
        "Every example of GitHub's webhook events, whole and spoiled in nine ways, is accepted when it is signed and changes nothing",
        [tally(report, /http\/hookPayloads\.test/)]
      ],
      [
        "From Ready to merged, red and reverted on GitHub with a real service, runner and git: each thing there is done once, though the service is killed (-9) ten times, before and after each effect",
        [tally(report, /codehost\/githubWay\.long/)]
      ],
      [
        "Two instances with webhooks to both and polls at once open, merge and comment on GitHub once each",
        [tally(report, /codehost\/twoInstances\.long/)]
      ],
      [
        "Every answer of GitHub's merge call is read as a table says: merged, asked again, a conflict, a rule in the way, or given up; a lost answer is decided by looking",
        [tally(report, /codehost\/(mergeAnswer|githubHost)\.test/, /merge/)]
      ],
      [
        "A change goes through GitHub's merge queue once, also after a lost answer; a removal is a question with the reason",
        [tally(report, /codehost\/githubQueue\.test/)]
      ],
      [
        "10,000 issues of GitHub are first mirrored within its limits; the progress is shown, and a killed service goes on where it was",
        [tally(report, /tracker\/firstMirror\.long/)]
      ],
      [
        "1,000 random histories of issues, labels and moves on boards, delivered in any order, doubled or dropped, end in the same stories as a fresh mirror",
        [tally(report, /tracker\/histories\.test/)]
      ],
      ["The same with two instances, of which one is killed (-9) again and again", [tally(report, /tracker\/kills\./)]],
      [
        "A storm of 5,000 moved stories is written at no more than 80 calls a minute, and none is lost",
        [tally(report, /tracker\/writeBack\.test/, /moved stories are written/)]
      ],
      [
        "Writes of two services on one project of a tracker die out",
        [tally(report, /tracker\/writeBack\.test/, /die out/)]
      ],
      [
        "An issue labelled ready becomes a story, a run with an answered question, a pull request, a merge and a closed issue with a comment",
        [tally(report, /tracker\/thread\.long/)]
      ],
      ["The command line and the first start do what the README says", [tally(report, /test\/(cli|start)\//)]]
    ] as ReadonlyArray<readonly [claim: string, tallies: Proof["tallies"]]>
  ).map(([claim, tallies]) => ({ claim, tallies }))
