/** Pages on which people make and install apps; each answers as if its button was pressed. */
import { randomBytes } from "node:crypto"
import { type Answer, refuse } from "./Answer.ts"
import { installApp } from "./Installations.ts"
import type * as State from "./State.ts"
import type { World } from "./World.ts"

interface Posted {
  readonly name: string
  readonly url: string
  readonly redirect_url?: string
  readonly setup_url?: string
  readonly hook_attributes?: { readonly url: string; readonly active?: boolean }
  readonly default_permissions?: State.Permissions
  readonly default_events?: ReadonlyArray<string>
}

const redirect = (to: string, query: Readonly<Record<string, string | null>>): Answer => {
  const url = new URL(to)
  for (const [name, value] of Object.entries(query)) if (value !== null) url.searchParams.set(name, value)
  return { status: 302, headers: { location: url.href } }
}

const manifestOf = (body: string): Posted => {
  try {
    return JSON.parse(new URLSearchParams(body).get("manifest") ?? "") as Posted
  } catch {
    throw refuse(422, "The manifest is not JSON")
  }
}

/** Takes the form with a manifest, and sends its person back with a code. */
const newApp = (world: World, url: URL, owner: string, body: string): Answer => {
  const manifest = manifestOf(body)
  if (!manifest.name || !URL.canParse(manifest.url)) throw refuse(422, "The manifest lacks a name or a URL")
  if (manifest.redirect_url === undefined) throw refuse(422, "The manifest lacks a redirect URL")
  if ([...world.apps.values()].some(({ name }) => name === manifest.name)) throw refuse(422, "Name is already taken")
  const code = randomBytes(20).toString("hex")
  const { hook_attributes: hook } = manifest
  world.manifests.set(code, {
    name: manifest.name,
    owner,
    permissions: { metadata: "read", ...manifest.default_permissions },
    events: manifest.default_events ?? [],
    hookUrl: hook === undefined || hook.active === false ? null : hook.url,
    setupUrl: manifest.setup_url ?? null,
    createdAt: world.clock.now()
  })
  return redirect(manifest.redirect_url, { code, state: url.searchParams.get("state") })
}

/** Installs an app on every repository of its owner. */
const newInstallation = (world: World, url: URL, slug: string): Answer => {
  const app = [...world.apps.values()].find((one) => one.slug === slug)
  if (app === undefined) throw refuse(404, "Not Found")
  const installation = installApp(world, app, app.owner.login, null)
  const query = {
    installation_id: String(installation.id),
    setup_action: "install",
    state: url.searchParams.get("state")
  }
  return app.setupUrl === null ? { status: 200, body: {} } : redirect(app.setupUrl, query)
}

/** The answer of a page; null when the address is none. */
export const answerPage = (world: World, method: string, url: URL, body: string): Answer | null => {
  const made = /^(?:\/organizations\/([^/]+))?\/settings\/apps\/new$/.exec(url.pathname)
  if (made !== null && method === "POST") return newApp(world, url, made[1] ?? world.visitor, body)
  const installed = /^\/(?:github-)?apps\/([^/]+)\/installations\/new$/.exec(url.pathname)
  return installed === null ? null : newInstallation(world, url, installed[1] ?? "")
}
