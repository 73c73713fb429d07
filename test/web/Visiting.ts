import { Effect, Layer } from "effect"
import { Visitors, type Visitor } from "../../adapters/http/web/Visitors.ts"
import * as Memory from "../../adapters/memory/Memory.ts"
import type { Role } from "../../domain/workspace/Member.ts"
import type { WorkspaceSlug } from "../../domain/workspace/Workspace.ts"
import * as People from "../support/People.ts"
import { type Answer, ask, start, type World } from "../support/World.ts"

const html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

/** A browser of a signed-in member, without script. */
export interface Browser {
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  readonly post: (
    path: string,
    form: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>
  ) => Promise<Answer>
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

export const open = async (settings: Readonly<Record<string, string>> = {}): Promise<Site> => {
  const visitors = new Map<string, Visitor>()
  const known = Layer.succeed(Visitors, ({ cookies }) =>
    Effect.succeed(visitors.get(cookies["gatehouse"] ?? "") ?? null)
  )
  const world = await start(Memory.layer, settings, known)
  return {
    ...world,
    stranger: browser(world.url, null),
    as: async (slug, role = "owner") => {
      const { member, workspace } = await world.run(People.person(slug, role))
      const session = crypto.randomUUID()
      visitors.set(session, { memberships: [{ workspace: { id: workspace, slug, name: "Acme" }, member }] })
      return browser(world.url, `gatehouse=${session}`)
    }
  }
}
