import * as DecisionPages from "./decisions/DecisionPages.tsx"
import * as Appearance from "./settings/Appearance.tsx"
import type { IdentityStore } from "../../../application/ports/identity/IdentityStore.ts"
import type { Needs as SignInNeeds } from "./signin/SignInPages.tsx"
import type { Page } from "./Page.ts"
import type { Needs as ShellNeeds } from "./Render.tsx"

type Of<P> = P extends ReadonlyArray<Page<infer R>> ? R : never

/** Ports that the pages use. */
export type Needs = ShellNeeds | IdentityStore | SignInNeeds | Of<typeof DecisionPages.pages>

/** Every page of a workspace. The first that matches a path answers. */
export const pages: ReadonlyArray<Page<Needs>> = [...DecisionPages.pages, ...Appearance.pages]
