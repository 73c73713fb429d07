import type { ComponentChildren, JSX } from "preact"

/** Event of a part whose topics changed. */
export const changed = "gh:changed"

/**
 * A part of a page that is fetched again when a topic changes. htmx merges the new content into the old, so that focus and
 * typed text stay.
 */
export const Live = ({
  as: Tag = "div",
  children,
  id,
  path,
  topics,
  ...attributes
}: {
  readonly id: string
  /** Address of the page that shows the part. */
  readonly path: string
  readonly topics: ReadonlyArray<string>
  readonly as?: "div" | "section" | "ol" | "ul"
  readonly children: ComponentChildren
} & Pick<JSX.IntrinsicElements["div"], "class" | "aria-label">) => (
  <Tag
    id={id}
    hx-get={path}
    hx-trigger={changed}
    data-topics={topics.join(" ")}
    hx-select={`#${id}`}
    hx-target="this"
    hx-swap="outerMorph"
    {...attributes}
  >
    {children}
  </Tag>
)
