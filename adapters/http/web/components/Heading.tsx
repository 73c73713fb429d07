import type { ComponentChildren } from "preact"

/** The way from a section to this page, whose own name is last. */
export const Crumbs = ({
  here,
  way
}: {
  readonly way: ReadonlyArray<readonly [name: string, href: string]>
  readonly here: string
}) => (
  <nav class="crumbs" aria-label="Breadcrumb">
    <ol>
      {way.map(([name, href]) => (
        <li>
          <a href={href}>{name}</a>
        </li>
      ))}
      <li>{here}</li>
    </ol>
  </nav>
)

/** The way to a page of a team. */
export const wayToTeam = (base: string, { name, slug }: { readonly name: string; readonly slug: string }) =>
  [
    ["Teams", `${base}/teams`],
    [name, `${base}/teams/${slug}`]
  ] as const

/** The one `h1` of a page, with what follows it on the left and actions on the right. */
export const Heading = ({
  actions,
  children,
  title
}: {
  readonly title: ComponentChildren
  readonly children?: ComponentChildren
  readonly actions?: ComponentChildren
}) => (
  <div class="head">
    <div>
      <h1>{title}</h1>
      {children}
    </div>
    {actions ? <div class="actions">{actions}</div> : null}
  </div>
)

export const Lede = ({ children }: { readonly children: ComponentChildren }) => <p class="lede">{children}</p>

/** Views of one list, each with an address. */
export const Tabs = ({
  label,
  tabs
}: {
  readonly label: string
  readonly tabs: ReadonlyArray<{
    readonly name: string
    readonly href: string
    readonly isCurrent: boolean
    readonly count?: number
  }>
}) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ count, href, isCurrent, name }) => (
      <a href={href} {...(isCurrent && { "aria-current": "page" as const })}>
        {name}
        {count === undefined ? null : <span class="n">{count > 99 ? "99+" : count}</span>}
      </a>
    ))}
  </nav>
)
