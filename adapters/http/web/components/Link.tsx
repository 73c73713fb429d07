import type { ComponentChildren } from "preact"

/** A link to an address from data: only http and https are links, anything else is shown as text. */
export const Outside = ({ children, href }: { readonly href: string; readonly children: ComponentChildren }) =>
  /^https?:\/\//i.test(href) ? (
    <a href={href} rel="noopener nofollow">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  )
