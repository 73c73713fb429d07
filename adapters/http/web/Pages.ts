import * as AuditPages from "./audit/AuditPages.tsx"
import * as AppPages from "./connections/AppPages.tsx"
import * as ConnectionPages from "./connections/ConnectionPages.tsx"
import * as DecisionPages from "./decisions/DecisionPages.tsx"
import * as IncidentPages from "./incidents/IncidentPages.tsx"
import * as NotificationPages from "./notifications/NotificationPages.tsx"
import * as RunPages from "./runs/RunPages.tsx"
import * as StoryPages from "./stories/StoryPages.tsx"
import * as NewTeamPages from "./teams/NewTeamPages.tsx"
import * as TeamPages from "./teams/TeamPages.tsx"
import * as TrackerPages from "./teams/TrackerPages.tsx"
import * as RunnerPages from "./runners/RunnerPages.tsx"
import * as NewSourcePages from "./oncall/NewSourcePages.tsx"
import * as PlacePages from "./oncall/PlacePages.tsx"
import * as ServicePages from "./oncall/ServicePages.tsx"
import * as SearchPages from "./search/SearchPages.tsx"
import * as SourcePages from "./oncall/SourcePages.tsx"
import * as PolicyPages from "./policy/PolicyPages.tsx"
import * as PullPages from "./pulls/PullPages.tsx"
import * as Appearance from "./settings/Appearance.tsx"
import * as MemberPages from "./settings/MemberPages.tsx"
import * as TokenPages from "./settings/TokenPages.tsx"
import * as WelcomePages from "./welcome/WelcomePages.tsx"
import type { SentForms } from "../../../application/ports/identity/SentForms.ts"
import type { IdentityStore } from "../../../application/ports/identity/IdentityStore.ts"
import type { Needs as SignInNeeds } from "./signin/SignInGate.tsx"
import * as CodingAgents from "./settings/CodingAgents.tsx"
import * as SessionsPages from "./settings/SessionsPages.tsx"
import type { LivePages } from "./LivePages.ts"
import type { Page } from "./Page.ts"
import * as Render from "./Render.tsx"

type Of<P> = P extends ReadonlyArray<Page<infer R>> ? R : never

/** Ports that the pages use. */
export type Needs =
  | Render.Needs
  | IdentityStore
  | SentForms
  | LivePages
  | SignInNeeds
  | Of<typeof AuditPages.pages>
  | Of<typeof AppPages.pages>
  | Of<typeof ConnectionPages.pages>
  | Of<typeof DecisionPages.pages>
  | Of<typeof IncidentPages.pages>
  | Of<typeof MemberPages.pages>
  | Of<typeof NotificationPages.pages>
  | Of<typeof PolicyPages.pages>
  | Of<typeof PullPages.pages>
  | Of<typeof RunPages.pages>
  | Of<typeof RunnerPages.pages>
  | Of<typeof NewSourcePages.pages>
  | Of<typeof PlacePages.pages>
  | Of<typeof SearchPages.pages>
  | Of<typeof ServicePages.pages>
  | Of<typeof SourcePages.pages>
  | Of<typeof SessionsPages.pages>
  | Of<typeof StoryPages.pages>
  | Of<typeof NewTeamPages.pages>
  | Of<typeof TeamPages.pages>
  | Of<typeof TrackerPages.pages>
  | Of<typeof TokenPages.pages>
  | Of<typeof WelcomePages.pages>

/** Every page of a workspace. The first that matches a path answers. */
export const pages: ReadonlyArray<Page<Needs>> = [
  { path: "navigation", get: Render.navigation },
  ...DecisionPages.pages,
  ...IncidentPages.pages,
  ...NotificationPages.pages,
  ...PullPages.pages,
  ...RunPages.pages,
  ...RunnerPages.pages,
  ...StoryPages.pages,
  ...TeamPages.pages,
  ...TrackerPages.pages,
  ...NewTeamPages.pages,
  ...TokenPages.pages,
  ...AppPages.pages,
  ...ConnectionPages.pages,
  ...CodingAgents.pages,
  ...MemberPages.pages,
  ...Appearance.pages,
  ...SessionsPages.pages,
  ...WelcomePages.pages,
  ...AuditPages.pages,
  ...PolicyPages.pages,
  ...ServicePages.pages,
  ...NewSourcePages.pages,
  ...SourcePages.pages,
  ...PlacePages.pages,
  ...SearchPages.pages
]
