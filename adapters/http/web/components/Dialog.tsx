import type { ComponentChildren } from "preact"

/**
 * Asks before something ends. The page at `action` shows the same content without script; a link with
 * `data-dialog={id}` to that page opens the dialog in place.
 */
export const Dialog = ({
  action,
  children,
  confirm,
  id,
  isSafe = false,
  keep,
  title
}: {
  readonly id: string
  readonly title: string
  readonly action: string
  /** Label of the button that ends it, such as `Revoke`. */
  readonly confirm: string
  /** Label of the safe button, such as `Keep it`. */
  readonly keep: string
  /** True when it begins something rather than ends it. */
  readonly isSafe?: boolean
  readonly children: ComponentChildren
}) => (
  <dialog class="dialog" id={id} aria-labelledby={`${id}-title`}>
    <form method="post" action={action}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
      <div class="acts">
        <button class="btn" type="button" data-close>
          {keep}
        </button>
        <button class={isSafe ? "btn primary" : "btn danger solid"} type="submit">
          {confirm}
        </button>
      </div>
    </form>
  </dialog>
)

/** The content of a dialog as a page of its own. */
export const Confirm = ({
  action,
  back,
  children,
  confirm,
  isSafe = false,
  keep
}: {
  readonly action: string
  readonly back: string
  readonly confirm: string
  readonly keep: string
  readonly isSafe?: boolean
  readonly children: ComponentChildren
}) => (
  <form class="stack" method="post" action={action}>
    {children}
    <p class="bar">
      <a class="btn" href={back}>
        {keep}
      </a>
      <button class={isSafe ? "btn primary" : "btn danger solid"} type="submit">
        {confirm}
      </button>
    </p>
  </form>
)
