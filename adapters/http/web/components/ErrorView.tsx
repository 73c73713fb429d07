import type { Way } from "../Page.ts"
import { LinkButton, Notice } from "./Parts.tsx"

const titles: Readonly<Record<number, string>> = {
  403: "You may not do this",
  404: "There is no such page",
  405: "This page can only be read",
  413: "This is too much text",
  415: "This form cannot be read",
  429: "Too many requests",
  503: "The database did not answer"
}

export const titleOf = (status: number): string =>
  titles[status] ?? (status < 500 ? "That did not work" : "Something broke")

const advice: Readonly<Record<number, string>> = {
  404: "It may have been moved or deleted, or it belongs to a workspace that you are not a member of.",
  503: "Nothing was changed. Load the page again in a moment."
}

const unknown = "Whether your change was made is not known. Look before you try again."

/** Says what went wrong and what to do. */
export const ErrorView = ({
  home,
  isUnknown = false,
  message,
  requestId,
  status,
  way
}: {
  readonly status: number
  readonly message: string
  readonly requestId: string
  readonly home: string
  /** True when the database went away while a change was written. */
  readonly isUnknown?: boolean
  /** The way out; without one, the message of a page that is not there says no more than the title. */
  readonly way?: Way
}) => (
  <div class="stack">
    <Notice tone={status < 500 ? "warn" : "bad"}>
      <p data-error>{isUnknown ? unknown : ((way === undefined ? advice[status] : undefined) ?? message)}</p>
      {status >= 500 ? (
        <p class="small muted">
          Request <code>{requestId}</code>
        </p>
      ) : null}
    </Notice>
    <p class="bar">
      {way === undefined ? null : <LinkButton href={way.href}>{way.text}</LinkButton>}
      <LinkButton href={home}>Go to the start page</LinkButton>
    </p>
  </div>
)
