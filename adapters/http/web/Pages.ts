import * as DecisionPages from "./decisions/DecisionPages.tsx"
import * as Appearance from "./settings/Appearance.tsx"
import type { IdentityStore } from "../../../application/ports/identity/IdentityStore.ts"
import type { Needs as SignInNeeds } from "./signin/SignInPages.tsx"
import * as SessionsPages from "./settings/SessionsPages.tsx"
import type { LivePages } from "./LivePages.ts"
import type { Page } from "./Page.ts"
import * as Render from "./Render.tsx"

type Of<P> = P extends ReadonlyArray<Page<infer R>> ? R : never

/** Ports that the pages use. */
export type Needs =
  | Render.Needs
  | IdentityStore
  | LivePages
  | SignInNeeds
  | Of<typeof DecisionPages.pages>
  | Of<typeof SessionsPages.pages>

/** Every page of a workspace. The first that matches a path answers. */
export const pages: ReadonlyArray<Page<Needs>> = [
  { path: "navigation", get: Render.navigation },
  ...DecisionPages.pages,
  ...Appearance.pages,
  ...SessionsPages.pages
]
