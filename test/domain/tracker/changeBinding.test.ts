import { Either } from "effect"
import { assert, describe, it } from "vitest"
import type { Change } from "../../../domain/Change.ts"
import type { Connection, ConnectionId } from "../../../domain/connection/Connection.ts"
import { Binding, type BindingId } from "../../../domain/tracker/Binding.ts"
import { bind, type BindingContext, type NewBinding, unbind } from "../../../domain/tracker/ChangeBinding.ts"
import { usualMapping } from "../../../domain/tracker/Mapping.ts"
import type { TeamSlug } from "../../../domain/workspace/Team.ts"
import { refusal, success } from "../Outcome.ts"
import * as Sample from "../Sample.ts"

const uuid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`
const connection = { id: uuid(1) as ConnectionId, name: "github" } as Connection
const input: NewBinding = {
  id: uuid(2) as BindingId,
  connection: "github",
  platform: "github",
  project: "acme/pay",
  mapping: usualMapping
}

const bound = (more: Partial<Binding> = {}) =>
  new Binding({
    id: uuid(3) as BindingId,
    team: Sample.team().slug,
    connection: connection.id,
    platform: "github",
    project: "acme/pay",
    mapping: { ...usualMapping, only: "old" },
    createdAt: Sample.before,
    updatedAt: Sample.before,
    removedAt: null,
    ...more
  })

const at = (bindings: ReadonlyArray<Binding> = []): BindingContext => ({
  now: Sample.now,
  team: Sample.team(),
  bindings,
  connections: [connection]
})

const binding = (more: Partial<NewBinding> = {}, bindings: ReadonlyArray<Binding> = []) =>
  bind(Sample.ana, { ...input, ...more })(at(bindings))

describe("binding a team", () => {
  const other = bound({ team: "web" as TeamSlug })
  const board = { name: "acme/7", field: "Status" }
  const mixed = [...usualMapping.columns, { mark: { kind: "status", name: "Done" }, column: "done" }] as const

  it.each([
    ["the first time", {}, [], input.id, 1, 0],
    ["again takes the new mapping", { project: "ACME/pay" }, [bound()], bound().id, 0, 1],
    ["to another project ends the old binding", { project: "acme/web" }, [bound()], input.id, 1, 1],
    ["beside another team", { project: "acme/web" }, [other], input.id, 1, 0]
  ] as const)("%s", (_, more, bindings, id, added, changed) => {
    const { change, result } = success(binding(more, bindings))
    assert.deepInclude<object>(result, { id, mapping: usualMapping, removedAt: null, updatedAt: Sample.now })
    assert.deepStrictEqual([change.added?.bindings?.length, change.changed?.bindings?.length], [added, changed])
    assert.deepStrictEqual(change.changed?.teams?.[0]?.trackerProject, { platform: "github", project: result.project })
    assert.deepStrictEqual([change.audit.length, change.audit[0].event], [1, "team_changed"])
  })

  it.each([
    ["an unknown connection", { connection: "nobody" }, [], "ConnectionNotFound"],
    ["a project of another team", { project: "Acme/Pay" }, [other], "ProjectTaken"],
    ["a project without a name", { project: "" }, [], "InvalidBinding"],
    [
      "a label that means two columns",
      { mapping: { ...usualMapping, columns: [...usualMapping.columns, ...usualMapping.columns] } },
      [],
      "InvalidBinding"
    ],
    ["a board that no column uses", { mapping: { ...usualMapping, board } }, [], "InvalidBinding"],
    ["nothing: a board with one status", { mapping: { ...usualMapping, columns: mixed, board } }, [], null],
    [
      "nothing: the same project elsewhere",
      {},
      [bound({ team: other.team, connection: uuid(9) as ConnectionId })],
      null
    ]
  ] as const)("is refused %s", (_, more, bindings, tag) => assert.strictEqual(refusal(binding(more, bindings)), tag))
})

describe("the audit log", () => {
  const shown = (of: Binding) => {
    const { connection, mapping, platform, project } = of
    return { tracker: { platform, project, connection, ...mapping } }
  }
  const beforeAndAfter = (change: Change) => {
    const [{ details, entity, team }] = change.audit
    assert.deepStrictEqual<unknown>([entity.type, entity.name, team], ["team", "Payments", "payments"])
    return [details["before"], details["after"]]
  }

  it("has the tracker of a team before and after", () => {
    const first = success(binding())
    assert.deepStrictEqual(beforeAndAfter(first.change), [undefined, shown(first.result)])
    const again = success(binding({}, [bound()]))
    assert.deepStrictEqual(beforeAndAfter(again.change), [shown(bound()), shown(again.result)])
    assert.deepStrictEqual(beforeAndAfter(success(unbind(Sample.ana)(at([bound()]))).change), [
      shown(bound()),
      undefined
    ])
  })

  it("has no binding that is refused, and the refusal names what is wrong", () => {
    const columns = [...usualMapping.columns, ...usualMapping.columns]
    const refused = (mapping: NewBinding["mapping"]) => Either.getOrThrow(Either.flip(binding({ mapping }))).message
    assert.match(refused({ ...usualMapping, columns }), /^The label 'review' is mapped twice/)
    assert.match(
      refused({ ...usualMapping, board: { name: "acme/7", field: "Status" } }),
      /^The board 'acme\/7' is not used/
    )
  })
})

describe("unbinding a team", () => {
  it("ends its binding, and the team names no project", () => {
    const { change, result } = success(unbind(Sample.ana)(at([bound()])))
    assert.deepStrictEqual([result.removedAt, change.changed?.bindings], [Sample.now, [result]])
    assert.isNull(change.changed?.teams?.[0]?.trackerProject)
  })

  it("is refused without one", () =>
    assert.strictEqual(refusal(unbind(Sample.ana)(at([bound({ team: "web" as TeamSlug })]))), "TeamNotBound"))
})
