import { assert, it } from "vitest"
import * as Seed from "../support/Seed.ts"
import { open } from "./Visiting.ts"

it("the first steps of a workspace are done one by one", async () => {
  const site = await open()
  try {
    const { slug } = await site.run(Seed.workspace)
    const owner = await site.as(slug)
    const doneIn = async () => /(\d) of 5 done/.exec((await owner.get(`/${slug}/first-steps`)).text)?.[1]
    const { status, text } = await owner.get(`/${slug}/first-steps`)
    assert.strictEqual(status, 200)
    assert.include(text, `./gatehouse team create --workspace ${slug} --as ${Seed.ownerEmail}`)
    assert.include(text, `href="/${slug}/settings/api"`)
    assert.strictEqual(await doneIn(), "0")
    await site.run(Seed.load(slug, Seed.small))
    assert.strictEqual(await doneIn(), "2")
    await site.run(Seed.token(slug))
    await site.as(slug, "member")
    assert.strictEqual(await doneIn(), "4")
    assert.strictEqual((await owner.post(`/${slug}/first-steps`, {})).status, 405)
  } finally {
    await site.close()
  }
})
