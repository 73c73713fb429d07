import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import * as MemoryState from "../../adapters/memory/MemoryState.ts"
import { ofWorkspace } from "../../application/workspace/DeniedTarget.ts"
import { permit, type Person } from "../../application/workspace/Authorization.ts"
import * as Decisions from "../../application/work/Decisions.ts"
import * as Members from "../../application/workspace/Members.ts"
import { AuditLog } from "../../application/ports/AuditLog.ts"
import * as TestSource from "../../application/oncall/TestSource.ts"
import * as Tokens from "../../application/workspace/Tokens.ts"
import { bySystem } from "../../domain/workspace/Actor.ts"
import { type Email, Role } from "../../domain/workspace/Member.ts"
import { type Operation, rights } from "../../domain/workspace/RequiredRole.ts"
import * as Equipment from "../support/Equipment.ts"
import { isLong } from "../support/Long.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import * as Snapshot from "../support/Snapshot.ts"
import { trackerActs } from "./trackerRows.ts"
import {
  type Act,
  acts,
  answer,
  arrange,
  newToken,
  payments,
  type Place,
  question,
  refused,
  restored
} from "./house.ts"

const everyone = Role.literals
const admins: ReadonlyArray<Role> = ["admin", "owner"]
const owners: ReadonlyArray<Role> = ["owner"]

/** The lowest role that may and the one below it; the long form takes all. */
const tried = ([lowest]: ReadonlyArray<Role>) =>
  everyone.filter((role, place) => isLong || role === lowest || everyone[place + 1] === lowest)

const owner = ({ slug }: Place, name: string) => ({
  workspace: slug,
  email: `${name}@acme.test` as Email,
  name,
  role: "owner" as const
})

/** Allowed roles of each operation, as the contract lists them. */
const table: Record<Operation, readonly [allowed: ReadonlyArray<Role>, act: Act]> = {
  "audit read": [admins, (_, person) => permit(person, "audit read", ofWorkspace(person))],
  "audit export": [
    admins,
    (place, person) =>
      Effect.zipRight(
        permit(person, "audit export", ofWorkspace(person)),
        acts["AuditExport.exportFile"](place, person)
      )
  ],
  "decision raise": [everyone, acts["Decisions.raise"]],
  "run start": [everyone, acts["Runs.start"]],
  "run stop": [everyone, acts["Runs.stop"]],
  "run retry": [everyone, acts["Runs.retry"]],
  "run lease": [everyone, acts["Runs.lease"]],
  "run report": [everyone, acts["Runs.report"]],
  "run finish": [everyone, acts["Runs.finish"]],
  "runner list": [everyone, acts["Runners.list"]],
  "runner drain": [admins, acts["Runners.drain"]],
  "runner remove": [admins, acts["Runners.remove"]],
  "story create": [everyone, acts["Stories.create"]],
  "story edit": [everyone, acts["Stories.edit"]],
  "story approve": [everyone, acts["Stories.approve"]],
  "story move": [everyone, acts["Stories.move"]],
  "story reject": [everyone, acts["Stories.reject"]],
  "connection list": [everyone, acts["Connections.list"]],
  "connection create": [admins, acts["Connections.create"]],
  "connection test": [admins, acts["Connections.test"]],
  "connection renew": [admins, acts["Connections.renew"]],
  "connection remove": [admins, acts["Connections.remove"]],
  "tracker show": [everyone, trackerActs["Bindings.list"]],
  "tracker check": [admins, trackerActs["Bindings.check"]],
  "tracker bind": [admins, trackerActs["Bindings.bind"]],
  "tracker unbind": [admins, trackerActs["Bindings.unbind"]],
  "team create": [admins, acts["Teams.create"]],
  "team set": [admins, acts["Teams.set"]],
  "team pause": [admins, acts["Teams.pause"]],
  "team resume": [admins, acts["Teams.resume"]],
  "team delete": [owners, acts["Teams.remove"]],
  "policy set": [admins, acts["Teams.setPolicy"]],
  "team place add": [admins, acts["Places.add"]],
  "team place remove": [admins, acts["Places.remove"]],
  "service create": [admins, acts["Services.create"]],
  "service set": [admins, acts["Services.set"]],
  "service delete": [admins, acts["Services.remove"]],
  "source create": [admins, acts["Sources.create"]],
  "source set": [admins, acts["Sources.set"]],
  "source secret": [admins, acts["Sources.setSecret"]],
  "source credentials": [admins, acts["Sources.setCredentials"]],
  "source rotate": [admins, acts["Sources.rotate"]],
  "source test": [admins, (_, person) => TestSource.prepare(person, "tool")],
  "source pause": [admins, acts["Sources.pause"]],
  "source resume": [admins, acts["Sources.resume"]],
  "source delete": [admins, acts["Sources.remove"]],
  "source replay": [admins, acts["TriageWorker.replay"]],
  "incident acknowledge": [everyone, acts["Incidents.acknowledge"]],
  "incident resolve": [everyone, acts["Incidents.resolve"]],
  "incident note": [everyone, acts["Incidents.note"]],
  "notification read": [everyone, (_, person) => permit(person, "notification read")],
  "member add": [admins, acts["Members.add"]],
  "member add owner": [owners, (place, person) => Members.add(person, owner(place, "third"))],
  "member set": [admins, acts["Members.set"]],
  "member set owner": [owners, (place, person) => Members.set(person, owner(place, "leaver"))],
  "member remove": [admins, acts["Members.remove"]],
  "member remove owner": [owners, (place, person) => Members.remove(person, owner(place, "second"))],
  "token create": [everyone, acts["Tokens.create"]],
  "token revoke": [everyone, acts["Tokens.revoke"]]
}

/** Target of a refusal: the object of the operation, and its team. */
const targets: Partial<Record<Operation, string>> = {
  "audit read": "workspace the workspace, team null",
  "audit export": "workspace the workspace, team null",
  "runner drain": "workspace the workspace, team null",
  "runner remove": "workspace the workspace, team null",
  "connection create": "connection enterprise, team null",
  "connection test": "connection github, team null",
  "connection renew": "connection github, team null",
  "connection remove": "connection github, team null",
  "tracker check": "team Payments, team payments",
  "tracker bind": "team Payments, team payments",
  "tracker unbind": "team Payments, team payments",
  "team create": "team Shop, team null",
  "team set": "team Payments, team payments",
  "team pause": "team Payments, team payments",
  "team resume": "team Web, team web",
  "team delete": "team Payments, team payments",
  "policy set": "policy Payments, team payments",
  "team place add": "team Payments, team payments",
  "team place remove": "team Payments, team payments",
  "service create": "service refunds, team payments",
  "service set": "service checkout, team payments",
  "service delete": "service checkout, team payments",
  "source create": "signal_source grafana, team null",
  "source set": "signal_source tool, team null",
  "source secret": "signal_source tool, team null",
  "source credentials": "signal_source pager, team null",
  "source rotate": "signal_source tool, team null",
  "source test": "signal_source tool, team null",
  "source pause": "signal_source tool, team null",
  "source resume": "signal_source quiet, team null",
  "source delete": "signal_source tool, team null",
  "source replay": "workspace the workspace, team null",
  "member add": "member Nia New, team null",
  "member add owner": "member third, team null",
  "member set": "member Lena Leaver, team null",
  "member set owner": "member Lena Leaver, team null",
  "member remove": "member Lena Leaver, team null",
  "member remove owner": "member second, team null"
}

const place = restored(Effect.tap(arrange, (at) => Members.add(bySystem, owner(at, "second"))))

const look = ({ id, slug }: Place) => Effect.map(Snapshot.take(id, slug), ({ audit, ...state }) => ({ audit, state }))

/** Asserts that nothing changes and that one entry records the denial; returns the entry. */
const assertDenied = (at: Place, person: Person, act: Act, tag: string, operation: string) =>
  Effect.gen(function* () {
    const before = yield* look(at)
    const refusal = yield* refused(act(at, person))
    const after = yield* look(at)
    assert.strictEqual(refusal._tag, tag)
    assert.deepStrictEqual(after.state, before.state)
    const [entry, ...more] = after.audit.slice(before.audit.length)
    assert.deepStrictEqual(more, [])
    const { details, entity, event, result, actor, team } = entry ?? assert.fail("nothing is on record")
    assert.deepStrictEqual([event, result], ["access_denied", "denied"])
    assert.deepStrictEqual(actor, { type: "human", name: person.member.name, userId: person.member.id })
    const { delivery, ...told } = details
    assert.deepStrictEqual(told, { v: 1, requestId: null, channel: "app", operation })
    assert.strictEqual(delivery !== undefined, operation === "source replay")
    return { entity, team }
  })

const assertAllowed = (at: Place, person: Person, act: Act) =>
  Effect.gen(function* () {
    yield* act(at, person)
    const filter = { ...Seed.anyEntry, event: "access_denied" as const }
    const { count } = yield* (yield* AuditLog).page(at.id, filter, { limit: 1, before: null })
    assert.strictEqual(count, 0)
  })

/** An admin's right is checked before an owner's. */
const refusalOf = (operation: Operation, role: Role): readonly [tag: string, operation: string] => {
  if (operation === "member remove owner" && role === "member") return ["AdminRequired", "member remove"]
  return [table[operation][0] === owners ? "OwnerRequired" : "AdminRequired", operation]
}

it("every operation that asks for a role has its row here", () => {
  assert.deepStrictEqual(Object.keys(table).sort(), Object.keys(rights).sort())
})

it.layer(Layer.mergeAll(Memory.layer, MemoryState.layer, Equipment.layer))("rights", (it) => {
  for (const [operation, [allowed, act]] of Object.entries(table))
    for (const role of tried(allowed))
      it.effect(`${operation}: ${role} ${allowed.includes(role) ? "may" : "may not"}`, () =>
        Effect.gen(function* () {
          const at = yield* place
          const person = at.people[role]
          if (allowed.includes(role)) return yield* assertAllowed(at, person, act)
          const [tag, denied] = refusalOf(operation as Operation, role)
          const { entity, team } = yield* assertDenied(at, person, act, tag, denied)
          const name = entity.name === at.slug ? "the workspace" : entity.name
          assert.strictEqual(`${entity.type} ${name}, team ${team}`, targets[operation as Operation])
        })
      )

  for (const authority of everyone)
    for (const role of tried([authority])) {
      const may = everyone.indexOf(role) >= everyone.indexOf(authority)
      it.effect(`a decision for ${authority}: ${role} ${may ? "may" : "may not"} answer`, () =>
        Effect.gen(function* () {
          const at = yield* place
          const json = yield* Decisions.raise(at.people.owner, { team: payments }, { ...question, authority })
          const { key } = JSON.parse(json) as { readonly key: string }
          const act: Act = (_, person) => Decisions.answer(person, answer("answer", key))
          if (may) return yield* assertAllowed(at, at.people[role], act)
          const { entity, team } = yield* assertDenied(
            at,
            at.people[role],
            act,
            "InsufficientAuthority",
            "decision answer"
          )
          assert.strictEqual(team, "payments")
          assert.deepStrictEqual(entity, { type: "decision", id: key, name: question.title })
        })
      )
    }

  for (const role of everyone) {
    const other = role === "owner" ? "admin" : "owner"
    it.effect(`a token is personal, also to the ${role}`, () =>
      Effect.gen(function* () {
        const at = yield* place
        const person = at.people[role]
        const theirs = { ...newToken, workspace: at.slug, member: People.emailOf(other) }
        yield* assertDenied(at, person, (_, me) => Tokens.create(me, theirs), "TokenIsPersonal", "token create")
        const revoked = { workspace: at.slug, prefix: at.tokens[other] }
        yield* assertDenied(at, person, (_, me) => Tokens.revoke(me, revoked), "TokenNotFound", "token revoke")
      })
    )
  }
})
