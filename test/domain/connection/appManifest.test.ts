import { assert, it } from "@effect/vitest"
import { creationPage, manifestOf } from "../../../domain/connection/AppManifest.ts"

it("the App has the permissions, the webhook and the way back that the service needs", () => {
  const manifest = manifestOf({ origin: "https://gate.test", workspace: "acme", token: "abcdefghij" })
  assert.deepStrictEqual(manifest, {
    name: "Gatehouse acme abcde",
    url: "https://gate.test",
    hook_attributes: { url: "https://gate.test/hooks/github/abcdefghij", active: true },
    redirect_url: "https://gate.test/acme/settings/connections/app/created",
    public: false,
    default_permissions: {
      contents: "write",
      pull_requests: "write",
      issues: "write",
      statuses: "write",
      checks: "write",
      metadata: "read"
    },
    default_events: ["pull_request", "push", "check_run", "check_suite", "status", "issues", "label"]
  })
  assert.isAtMost(manifestOf({ origin: "", workspace: "w".repeat(64), token: "abcdefghij" }).name.length, 34)
})

it("is created for an organisation or for the person", () => {
  assert.strictEqual(
    creationPage("https://github.com", "acme", "a.b/c"),
    "https://github.com/organizations/acme/settings/apps/new?state=a.b%2Fc"
  )
  assert.strictEqual(creationPage("https://github.com", "", "s"), "https://github.com/settings/apps/new?state=s")
})
