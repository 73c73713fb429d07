import { assert, describe, it } from "@effect/vitest"
import * as Repository from "../../../domain/value/Repository.ts"

describe("the address of a repository", () => {
  it.each([
    "https://github.com/acme/pay",
    "https://git.acme.test:8443/pay.git",
    "ssh://git@acme.test/pay.git",
    "ssh://git@acme.test:2222/team/pay.git",
    "git@github.com:acme/pay.git",
    "deploy-1@acme.test:pay"
  ])("%s is set by admins and by the operator", (address) => {
    assert.deepStrictEqual(
      [false, true].map((isOperator) => Repository.problemOf(address, isOperator)),
      [null, null]
    )
    assert.isFalse(Repository.isLocal(address))
  })

  it.each([
    ["/srv/git/pay.git", "/srv/git/pay.git"],
    ["/srv/git/my repository", "/srv/git/my repository"],
    ["file:///srv/git/pay.git", "/srv/git/pay.git"],
    ["FILE:///srv/git/pay.git", "/srv/git/pay.git"]
  ])("%s is a path that the operator alone sets", (address, path) => {
    assert.isNull(Repository.problemOf(address, true))
    assert.include(Repository.problemOf(address, false) ?? "", "only the operator")
    assert.deepStrictEqual([Repository.isLocal(address), Repository.pathOf(address)], [true, path])
  })

  it.each([
    ["", "must be https://"],
    ["acme/pay", "must be https://"],
    ["./pay.git", "must be https://"],
    ["../pay.git", "must be https://"],
    ["-oProxyCommand=touch", "must not begin with -"],
    ["--upload-pack=touch", "must not begin with -"],
    ["ext::sh -c touch", "must be https://"],
    ["fd::17/foo", "must be https://"],
    ["git://acme.test/pay", "must be https://"],
    ["ftp://acme.test/pay", "must be https://"],
    ["http://acme.test/pay", "must be https, not http"],
    ["https://", "must be https://"],
    ["https://acme.test", "must name a repository"],
    ["https://acme.test//", "must name a repository"],
    ["https://token@acme.test/pay", "GIT_TOKENS"],
    ["https://ana:secret@acme.test/pay", "GIT_TOKENS"],
    ["ssh://git:secret@acme.test/pay", "GIT_TOKENS"],
    ["https://acme.test/pay?token=1", "must not hold ? or #"],
    ["https://acme.test/pay#main", "must not hold ? or #"],
    ["https://acme.test/a b", "must be https://"],
    ["ssh://-oProxyCommand=touch/pay", "must"],
    ["ssh://-o@acme.test/pay", "begins with -"],
    ["-git@acme.test:pay", "must not begin with -"],
    ["git@-oProxyCommand:pay", "must be https://"],
    ["git@acme.test:-oops", "must be https://"],
    ["git@acme.test::pay", "must be https://"],
    ["git@acme.test:", "must be https://"],
    ["/", "must name a repository"],
    ["/srv/../etc", "as a step"],
    ["/srv/./pay", "as a step"],
    ["file://acme.test/pay", "must name no host"],
    ["file:/srv/pay", "must name no host"],
    ["file:///srv/%2e%2e/etc", "must not hold %"],
    ["https://acme.test/pay\n--upload-pack", "control characters"],
    ["/srv/pay\u0000.git", "control characters"],
    ["/srv/pay\u001b[2J", "control characters"]
  ])("%j is refused: %s", (address, problem) => {
    assert.include(Repository.problemOf(address, true) ?? "", problem)
  })

  it("a refusal shows the address, but neither credentials nor control characters", () => {
    assert.include(Repository.problemOf("acme/pay", false) ?? "", "got 'acme/pay'")
    assert.notInclude(Repository.problemOf("https://ana:secret@acme.test/pay", false) ?? "", "secret")
    assert.notInclude(Repository.problemOf("https://acme.test/\u001b[2J", false) ?? "", "\u001b")
  })
})
