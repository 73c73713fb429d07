import { DateTime, Either } from "effect"
import { assert, describe, it } from "vitest"
import { bySystem } from "../../../domain/workspace/Actor.ts"
import { create, rename } from "../../../domain/workspace/ChangeWorkspace.ts"
import { reservedSlugs, Workspace, type WorkspaceId, type WorkspaceSlug } from "../../../domain/workspace/Workspace.ts"

const now = DateTime.unsafeMake("2026-03-02T08:00:00.000Z")
const slugOf = (text: string) => text as WorkspaceSlug
const id = "11111111-1111-4111-8111-111111111111" as WorkspaceId
const owner = { id: "33333333-3333-4333-8333-333333333333", email: "ana@acme.test", name: "Ana" } as never
const acme = new Workspace({ id, slug: slugOf("acme"), name: "Acme", createdAt: now, deletedAt: null })
const none = { workspace: null, members: [], now }

const refusal = <A>(decided: Either.Either<A, { readonly _tag: string }>) =>
  Either.getOrThrow(Either.flip(decided))._tag

describe("slugs of workspaces", () => {
  it.each(reservedSlugs)("%s is refused", (slug) => {
    const created = create(bySystem, { id, slug: slugOf(slug), name: "A", owner })(none)
    assert.strictEqual(refusal(created), "WorkspaceSlugReserved")
    const renamed = rename(bySystem, acme.slug, slugOf(slug))({ ...none, workspace: acme })
    assert.strictEqual(refusal(renamed), "WorkspaceSlugReserved")
  })

  it("a new slug keeps the workspace and is recorded", () => {
    const { answer, change } = Either.getOrThrow(
      rename(bySystem, acme.slug, slugOf("acme-pay"))({ ...none, workspace: acme })
    )
    assert.deepStrictEqual(Either.getOrThrow(answer), { id, slug: slugOf("acme-pay") })
    assert.deepStrictEqual(change.changed?.workspaces, [new Workspace({ ...acme, slug: slugOf("acme-pay") })])
    const [{ details, event }] = change.audit
    assert.deepInclude(details, { before: { slug: "acme" }, after: { slug: "acme-pay" } })
    assert.strictEqual(event, "workspace_changed")
  })

  it("a workspace from before with a reserved slug can be renamed, a missing one not", () => {
    const old = new Workspace({ ...acme, slug: slugOf("api") })
    assert.isTrue(Either.isRight(rename(bySystem, old.slug, acme.slug)({ ...none, workspace: old })))
    assert.strictEqual(refusal(rename(bySystem, acme.slug, slugOf("new"))(none)), "WorkspaceNotFound")
  })
})
