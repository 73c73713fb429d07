import { Effect, Either, Schema, Struct } from "effect"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import type { RunnerStore } from "../../../../application/ports/runner/RunnerStore.ts"
import type { TokenStore } from "../../../../application/ports/TokenStore.ts"
import type { WorkspaceStore } from "../../../../application/ports/WorkspaceStore.ts"
import * as Runners from "../../../../application/runner/Runners.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import { ofWorkspace } from "../../../../application/workspace/DeniedTarget.ts"
import * as Tokens from "../../../../application/workspace/Tokens.ts"
import { RunnerNotFound } from "../../../../domain/runner/Runner.ts"
import { Name } from "../../../../domain/value/Text.ts"
import { Lifetime } from "../../../../domain/workspace/ApiToken.ts"
import { MemberNotFound } from "../../../../domain/workspace/Member.ts"
import type { Filled } from "../components/Form.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { redirect } from "../Render.tsx"
import { may } from "../Rights.ts"
import { type Act, ConfirmPage, RunnersPage, type Runners as Shown } from "./RunnerViews.tsx"
import { agents } from "./StartLine.ts"

const unfilled: Filled = { values: { name: "runner", agent: "claude-code", lifetime: "90d" }, errors: {} }

const page = (visit: Visit, more: Partial<Pick<Shown, "filled" | "created">> = {}, status = 200) =>
  Effect.map(Runners.list(visit.person), (runners): View => {
    const { base, origin, person } = visit
    const mayManage = may(person, "runner remove")
    return {
      title: "Runners",
      section: "settings",
      status,
      body: (
        <RunnersPage
          base={base}
          origin={origin}
          runners={runners}
          mayManage={mayManage}
          filled={unfilled}
          created={null}
          {...more}
        />
      )
    }
  })

const fields = { name: Name(200), agent: Schema.Literal(...Struct.keys(agents)), lifetime: Lifetime }
const decode = Schema.decodeUnknownEither(Schema.Struct(fields))

const checks = {
  name: [Schema.is(fields.name), "Enter a name of at most 200 characters on one line, such as “build machine”."],
  agent: [Schema.is(fields.agent), "Choose an agent of the list."],
  lifetime: [Schema.is(fields.lifetime), "Choose 30 days, 90 days or 1 year."]
} as const

const errorsOf = (values: Readonly<Record<keyof typeof checks, string>>) =>
  Object.fromEntries(
    Struct.keys(checks).flatMap((name) => {
      const [isRight, problem] = checks[name]
      return isRight(values[name]) ? [] : [[name, problem]]
    })
  )

/** Makes a token for a runner, and shows it once, inside the line that starts it. */
const create = (visit: Visit) =>
  Effect.gen(function* () {
    const { form, person, signedIn } = visit
    const values = { name: form.get("name").trim(), agent: form.get("agent"), lifetime: form.get("lifetime") }
    const decoded = decode(values)
    if (Either.isLeft(decoded)) return yield* page(visit, { filled: { values, errors: errorsOf(values) } }, 400)
    const { agent, ...token } = decoded.right
    const member = signedIn.memberships.find(({ workspace }) => workspace === person.workspace)?.member
    if (member === undefined) return yield* new MemberNotFound({ email: person.member.name })
    const { expiresAt, token: value } = yield* Tokens.create(person, {
      ...token,
      permissions: ["read"],
      workspace: person.workspaceSlug,
      member: member.email
    })
    return yield* Effect.map(page(visit, { created: { value, expiresAt, agent } }), (view): View => ({
      ...view,
      sentAgain: { to: `${visit.base}/settings/api`, done: "token-shown" }
    }))
  })

/** The runner that the path names. */
const named = ({ parameters, person }: Visit) =>
  Effect.flatMap(Runners.list(person), (runners) => {
    const runner = runners.find(({ id }) => id === parameters["id"])
    return runner === undefined ? new RunnerNotFound({ runner: parameters["id"] ?? "" }) : Effect.succeed(runner)
  })

const confirm = (act: Act, title: string) => (visit: Visit) =>
  Effect.map(named(visit), (runner): View => ({
    title: `${title} ${runner.name}?`,
    section: "settings",
    body: <ConfirmPage act={act} base={visit.base} runner={runner} />
  }))

const drain = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, person } = visit
    yield* permit(person, "runner drain", ofWorkspace(person))
    const { id } = yield* named(visit)
    yield* Runners.drain(person, id)
    return redirect(`${base}/settings/runners`, "runner-drained")
  })

const remove = (visit: Visit) =>
  Effect.gen(function* () {
    const { base, person } = visit
    yield* permit(person, "runner remove", ofWorkspace(person))
    const { id } = yield* named(visit)
    yield* Runners.remove(person, id)
    return redirect(`${base}/settings/runners`, "runner-removed")
  })

export const pages: ReadonlyArray<Page<AuditLog | RunnerStore | TokenStore | WorkspaceStore>> = [
  { path: "settings/runners", get: (visit) => page(visit), post: create },
  { path: "settings/runners/:id/drain", get: confirm("drain", "Drain"), post: drain },
  { path: "settings/runners/:id/remove", get: confirm("remove", "Remove"), post: remove }
]
