import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Effect } from "effect"
import type { JSX } from "preact"
import { ChangeFeed } from "../../../application/workspace/ChangeFeed.ts"
import type { Inbox } from "../../../application/ports/Inbox.ts"
import { formTarget } from "../server/PageSecurity.ts"
import { ErrorView, titleOf } from "./components/ErrorView.tsx"
import { Heading } from "./components/Heading.tsx"
import * as Layout from "./components/Layout.tsx"
import { Navigation, type Shell } from "./components/Navigation.tsx"
import { confirming, type Done } from "./Flash.ts"
import { sections, type View, type Visit, type Way } from "./Page.ts"
import type { Reader } from "./Reader.ts"

export type Needs = Inbox | ChangeFeed

/** Position in the change feed; read before a page's data, so that its stream begins with no change missed. */
export const position = ({ person }: Visit) =>
  Effect.flatMap(ChangeFeed, (feed) => Effect.map(feed.head(person.workspace), String))

const shellOf = (
  { base, confirmation, counts: counted, person: { member, workspace, workspaceSlug }, signedIn }: Visit,
  after: string,
  team: string | null
) =>
  Effect.gen(function* () {
    const { teams, ...counts } = yield* counted
    const shell: Shell = {
      base,
      workspace: workspaceSlug,
      member,
      others: signedIn.memberships
        .filter((one) => one.workspace !== workspace)
        .map((one) => ({ slug: one.workspaceSlug, name: one.workspaceName })),
      counts,
      teams,
      team: teams.find(({ slug }) => slug === team)?.slug ?? null,
      confirmation,
      live: `/live/${workspaceSlug}`,
      after
    }
    return shell
  })

/** Renders a view with the layout around it, or without (null) for a request that replaces a part of the page. */
export const rendered = (visit: Visit, view: View, after: string | null) =>
  Effect.gen(function* () {
    const { body, formTarget: target, section, status = 200, team = null, title } = view
    const html =
      after === null
        ? Layout.fragment(visit.reader, body)
        : Layout.page(visit.reader, yield* shellOf(visit, after, team), title, section, body)
    const response = HttpServerResponse.setStatus(HttpServerResponse.html(html), status)
    return target === undefined ? response : HttpServerResponse.setHeader(response, formTarget, target)
  })

interface Failure {
  readonly status: number
  readonly message: string
  readonly requestId: string
  readonly isUnknown?: boolean
  readonly way?: Way
}

/** An error inside the layout of a workspace. */
export const errorView = ({ base }: Visit, failure: Failure): View => ({
  title: titleOf(failure.status),
  section: null,
  status: failure.status,
  body: (
    <>
      <Heading title={titleOf(failure.status)} />
      <ErrorView {...failure} home={`${base}/decisions`} />
    </>
  )
})

/** An error outside of any workspace. */
export const errorPage = (reader: Reader, failure: Failure) =>
  HttpServerResponse.setStatus(
    HttpServerResponse.html(Layout.gate(reader, titleOf(failure.status), <ErrorView {...failure} home="/" />)),
    failure.status
  )

/** Leads to another page after a form was accepted, which confirms it, or when a page is elsewhere. */
export const redirect = (to: string, done?: Done) => {
  const response = HttpServerResponse.redirect(to, { status: 303 })
  return done === undefined ? response : confirming(done)(response)
}

/** Elements alone, for a request that replaces parts of a page. */
export const fragment = (reader: Reader, content: JSX.Element) =>
  HttpServerResponse.html(Layout.fragment(reader, content))

/** The side bar and the bell with their counts, which every page fetches again after changes. */
export const navigation = (visit: Visit) =>
  Effect.map(shellOf(visit, "", visit.query.get("team")), (shell) =>
    fragment(
      visit.reader,
      <>
        <Navigation shell={shell} section={sections.find((one) => one === visit.query.get("section")) ?? null} />
        <Layout.Bell base={shell.base} unread={shell.counts.unread} isNews />
      </>
    )
  )
