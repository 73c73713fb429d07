import type { ComponentChildren } from "preact"

/** A bar for a part of a whole; the words beside it say the same. */
export const Meter = ({
  part,
  tone = ""
}: {
  readonly part: number
  readonly tone?: "" | "calm" | "ok" | "warn" | "bad"
}) => (
  <svg class={`meter ${tone}`} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    <rect class="bar-fill" width={Math.min(100, Math.max(0, part))} height="4" />
  </svg>
)

/** Three to five facts in a row. */
export const Strip = ({ children, label }: { readonly label: string; readonly children: ComponentChildren }) => (
  <dl class="strip" aria-label={label}>
    {children}
  </dl>
)

/** One fact of a strip; `after` follows its value, such as a meter. */
export const Fact = ({
  after,
  children,
  name
}: {
  readonly name: string
  readonly children: ComponentChildren
  readonly after?: ComponentChildren
}) => (
  <div>
    <dt>{name}</dt>
    <dd class="num">{children}</dd>
    {after}
  </div>
)

/** Names and values below each other. */
export const Pairs = ({ of }: { readonly of: ReadonlyArray<readonly [name: string, value: ComponentChildren]> }) => (
  <dl class="dl">
    {of.map(([name, value]) => (
      <>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </>
    ))}
  </dl>
)
