import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { faults } from "./Accessible.ts"
import { visitors } from "./Visitors.ts"

interface Account {
  readonly account: string
  readonly email: string
  readonly isVerified: boolean
}

describe("signing in by OpenID Connect", () => {
  const { stage, visit } = visitors(undefined, { openId: true })
  const expected = /status of 403/

  /** Signs in at the provider with what is typed on its page. */
  const signIn = async (page: Page, { account, email, isVerified }: Account) => {
    await page.getByRole("link", { name: /^Sign in with localhost/ }).click()
    await page.getByRole("heading", { name: "Who are you?" }).waitFor()
    assert.strictEqual(new URL(page.url()).origin, stage().issuer)
    await page.getByLabel("Account").fill(account)
    await page.getByLabel("E-mail address").fill(email)
    if (isVerified) await page.getByLabel("Verified").check()
    await page.getByRole("button", { name: "Continue" }).click()
  }

  it.each([true, false])(
    "a member signs in, and is back at the page they asked for; with script: %s",
    async (script) => {
      const page = await visit({ script, expected })
      await page.goto("/demo/settings/sessions")
      assert.include(page.url(), "/sign-in?to=")
      if (script) assert.deepStrictEqual(await faults(page), [])
      await signIn(page, { account: "mika", email: "Member@demo.test", isVerified: true })
      await page.waitForURL("**/demo/settings/sessions")
      await page.getByText("by OpenID Connect").first().waitFor()
      await page.getByText("member of this workspace").waitFor()
      const cookies = await page.context().cookies(stage().url)
      assert.notInclude(
        cookies.map(({ name }) => name),
        "gatehouse-openid"
      )
    }
  )

  it.each([
    ["an unverified address", { account: "u", email: "admin@demo.test", isVerified: false }, "has not verified"],
    [
      "an unknown address",
      { account: "x", email: "nobody@demo.test", isVerified: true },
      "not the address of a member"
    ],
    [
      "another account",
      { account: "other", email: "member@demo.test", isVerified: true },
      "signs in with another account"
    ]
  ] as const)("%s is refused, with the other ways to sign in", async (_, account, words) => {
    const page = await visit({ expected })
    await page.goto("/sign-in")
    await signIn(page, account)
    await page.getByRole("alert").getByText(words).waitFor()
    await page.getByRole("button", { name: "Mail me a sign-in link" }).waitFor()
    assert.deepStrictEqual(await faults(page), [])
    await page.goto("/demo/decisions")
    assert.include(page.url(), "/sign-in")
  })
})
