import type { ComponentChildren } from "preact"
import { Icon, type IconName } from "./Icon.tsx"

export type Tone = "" | "wait" | "run" | "ok" | "warn" | "bad" | "crit" | "line"

/** A state as an icon and one or two words. */
export const Badge = ({
  children,
  icon,
  tone = ""
}: {
  readonly icon: IconName
  readonly tone?: Tone
  readonly children: ComponentChildren
}) => (
  <span class={`badge ${tone}`}>
    <Icon name={icon} />
    {children}
  </span>
)

/** A page's link that looks like a button. */
export const LinkButton = ({
  children,
  href,
  tone = ""
}: {
  readonly href: string
  readonly tone?: string
  readonly children: ComponentChildren
}) => (
  <a class={`btn ${tone}`} href={href}>
    {children}
  </a>
)

/** Submits its form. Tones: `primary`, `danger`, `danger solid`, `quiet`, and `wide`, `tall`. */
export const Button = ({
  children,
  icon,
  name,
  tone = "",
  value
}: {
  readonly tone?: string
  readonly icon?: IconName
  readonly name?: string
  readonly value?: string
  readonly children: ComponentChildren
}) => (
  <button class={`btn ${tone}`} type="submit" {...(name && { name })} {...(value !== undefined && { value })}>
    {icon ? <Icon name={icon} /> : null}
    {children}
  </button>
)

/** A box with a heading; `end` is at the end of the heading's line. */
export const Panel = ({
  children,
  end,
  footer,
  id,
  isFocused = false,
  title
}: {
  readonly id: string
  readonly title: ComponentChildren
  /** True when the heading gets the focus after a part of the page was replaced. */
  readonly isFocused?: boolean
  readonly end?: ComponentChildren
  readonly footer?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="panel" aria-labelledby={id}>
    <header>
      <h2 id={id} {...(isFocused && { tabindex: -1, "data-focus": "" })}>
        {title}
      </h2>
      {end ? <span class="end small muted">{end}</span> : null}
    </header>
    {children}
    {footer ? <footer>{footer}</footer> : null}
  </section>
)

/** Says what happened or what to do, at the top of what it is about. */
export const Notice = ({
  children,
  icon = "warn",
  isAlert = false,
  tone
}: {
  readonly tone: "wait" | "ok" | "bad" | "warn" | "info"
  readonly icon?: IconName
  /** True when it answers what the person did. */
  readonly isAlert?: boolean
  readonly children: ComponentChildren
}) => (
  <div class={`notice ${tone}`} {...(isAlert && { role: "alert" })}>
    <Icon name={icon} />
    <div>{children}</div>
  </div>
)

/** Confirms what the person did. */
export const Toast = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="toast" data-toast>
    <span class="s-ok">
      <Icon name="check" />
    </span>
    <p>{children}</p>
    <button class="icon-btn js-only" type="button" aria-label="Dismiss" data-dismiss>
      <Icon name="x" />
    </button>
  </div>
)

/** Counts news that are not shown yet. */
export const Pill = ({ children, href }: { readonly href: string; readonly children: ComponentChildren }) => (
  <a class="pill" href={href}>
    <Icon name="plus" />
    {children}
  </a>
)

/** Says what is not here, why, and what to do next. */
export const Empty = ({
  acts,
  children,
  icon = "check",
  title
}: {
  readonly title: string
  readonly icon?: IconName
  readonly acts?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <div class="empty">
    <Icon name={icon} />
    <h2>{title}</h2>
    <p>{children}</p>
    {acts ? <p class="acts">{acts}</p> : null}
  </div>
)

/** A person by the first letters of their names. */
export const Avatar = ({ name }: { readonly name: string }) => (
  <span class="avatar" aria-hidden="true">
    {name
      .split(/\s+/)
      .filter((word) => word !== "")
      .slice(0, 2)
      .map((word) => [...word][0]?.toUpperCase())
      .join("")}
  </span>
)
