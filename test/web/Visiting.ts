import { Effect, type Layer, Option, Redacted } from "effect"
import { assert } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import type { Letter, Notifier } from "../../application/ports/Notifier.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import * as Seed from "../support/Seed.ts"
import { type Answer, ask, start, type World } from "../support/World.ts"

const html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

type Fields = Readonly<Record<string, string>>

/** A browser without script; it keeps no cookies but its own. */
export interface Browser {
  readonly get: (path: string, headers?: Fields) => Promise<Answer>
  readonly post: (path: string, form: Fields, headers?: Fields) => Promise<Answer>
}

/** The service with a way to sign members in. */
export interface Site extends World {
  readonly as: (slug: WorkspaceSlug, role?: Role) => Promise<Browser>
  readonly stranger: Browser
}

export const browser = (url: string, cookie: string | null): Browser => {
  const always = { accept: html, ...(cookie === null ? {} : { cookie }) }
  return {
    get: (path, headers = {}) => ask(url, path, { headers: { ...always, ...headers } }),
    post: (path, form, headers = {}) =>
      ask(url, path, {
        method: "POST",
        headers: {
          ...always,
          origin: url,
          "sec-fetch-site": "same-origin",
          "content-type": "application/x-www-form-urlencoded",
          ...headers
        },
        body: new URLSearchParams(form).toString()
      })
  }
}

/** A session of the member with that role. */
export const session = (slug: WorkspaceSlug, role: Role) =>
  Effect.zipRight(People.person(slug, role), sessionOf(slug, People.emailOf(role)))

/** A session of the member with that address. */
export const sessionOf = (slug: WorkspaceSlug, email: string) =>
  Effect.gen(function* () {
    const { url } = yield* SignIn.makeLink({ workspace: slug, email })
    const link = Redacted.make(Redacted.value(url).split("/").at(-1) ?? "")
    const client = { userAgent: "Firefox/140 Linux", address: crypto.randomUUID(), requestId: null }
    const { token } = yield* SignIn.useLink(link, { ...client, session: Option.none() })
    return Redacted.value(token)
  })

export const open = async (
  settings: Fields = {},
  mail: Notifier<Letter> | null = null,
  extra?: Layer.Layer<never>
): Promise<Site> => {
  const world = await start(Memory.layer, settings, extra, mail)
  return {
    ...world,
    stranger: browser(world.url, null),
    as: async (slug, role = "owner") => browser(world.url, `gatehouse=${await world.run(session(slug, role))}`)
  }
}

/** The service with a workspace that a document fills. */
export const openWith = async (document: object) => {
  const site = await open()
  const { id, slug } = await site.run(Seed.workspace)
  await site.run(Seed.load(slug, document))
  return { site, id, slug }
}

/** The text of a page that has this status. */
export const pageOf = async (reader: Browser, path: string, status = 200): Promise<string> => {
  const answer = await reader.get(path)
  assert.strictEqual(answer.status, status, answer.text)
  return answer.text
}
