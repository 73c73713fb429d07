import type { Layer } from "effect"
import { assert } from "vitest"
import * as Memory from "../../adapters/memory/Memory.ts"
import type { Letter, Notifier } from "../../application/ports/Notifier.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as Seed from "../support/Seed.ts"
import { session } from "../support/Sessions.ts"
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
