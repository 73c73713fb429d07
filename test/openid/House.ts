import type { Layer } from "effect"
import * as Memory from "../../adapters/memory/Memory.ts"
import type { workshop } from "../support/Process.ts"
import { start, type World } from "../support/World.ts"

export const clientSecret = "a-secret-of-the-client-Zx81"

/** Starts the provider in a process of its own; `names` says when it names the address. */
export const startProvider = async (
  { launch }: ReturnType<typeof workshop>,
  service: string,
  { names = "later" }: { readonly names?: "at once" | "later" } = {}
) => {
  const program = launch(process.execPath, ["--import", "tsx", "test/openid/provider.ts"], {
    CLIENT_SECRET: clientSecret,
    REDIRECT: `${service}/sign-in/openid/back`,
    NAMES: names
  })
  const [, issuer = ""] = await program.says(/^The provider is at (\S+)$/m)
  return { issuer, program }
}

/** The service in this process, with the provider of an issuer. */
export const serve = (
  port: number,
  issuer: string,
  more: Readonly<Record<string, string>> = {},
  extra?: Layer.Layer<never>
): Promise<World> => {
  const client = { OIDC_CLIENT_ID: "gatehouse", OIDC_CLIENT_SECRET: clientSecret }
  return start(Memory.layer, { PORT: String(port), OIDC_ISSUER: issuer, ...client, ...more }, extra)
}
