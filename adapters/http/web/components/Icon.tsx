import type { JSX } from "preact"
import { renderToString } from "preact-render-to-string"

/** Bars of a severity, of which the first ones are filled. */
const bars = (filled: number) => (
  <>
    {[0, 1, 2, 3].map((bar) => (
      <rect
        x={1.5 + 3.5 * bar}
        y={11 - 3 * bar}
        width="2.5"
        height={3 + 3 * bar}
        rx=".6"
        stroke-width="1"
        {...(bar < filled ? { fill: "currentColor" } : { fill: "none", opacity: ".55" })}
      />
    ))}
  </>
)

/** Shapes on a grid of 16 by 16, drawn as lines in the colour of the text. */
const icons = {
  arrow: <path d="M3 8h10 M9.5 4.5 13 8l-3.5 3.5" />,
  bell: <path d="M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3z M6.5 14h3" />,
  board: <path d="M2.5 2.5h3v11h-3z M6.5 2.5h3v7h-3z M10.5 2.5h3v9h-3z" />,
  chat: <path d="M2.5 3h11v7.5H7L4 13v-2.5H2.5z" />,
  check: <path d="M3 8.5 6.5 12 13 4.5" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.5V8l2.5 1.5" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.2" />
      <path d="M10.5 5.5v-3h-8v8h3" />
    </>
  ),
  down: <path d="M8 2.5v8 M4.5 7.5 8 11l3.5-3.5 M3 13.5h10" />,
  eye: (
    <>
      <path d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  gear: (
    <>
      <circle cx="8" cy="8" r="2.2" />
      <path d="M8 1.5v2 M8 12.5v2 M1.5 8h2 M12.5 8h2 M3.4 3.4l1.4 1.4 M11.2 11.2l1.4 1.4 M12.6 3.4l-1.4 1.4 M4.8 11.2l-1.4 1.4" />
    </>
  ),
  go: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M5.5 8h5 M8.5 6l2 2-2 2" />
    </>
  ),
  inbox: <path d="M2 9.5 4 3h8l2 6.5V13H2z M2 9.5h3.5l1 1.5h3l1-1.5H14" />,
  key: (
    <>
      <circle cx="5" cy="11" r="2.7" />
      <path d="M7 9l6-6 M10.5 5.5l2 2" />
    </>
  ),
  link: (
    <path d="M7 9.5a2.8 2.8 0 0 0 4 0l2-2a2.8 2.8 0 0 0-4-4l-1 1 M9 6.5a2.8 2.8 0 0 0-4 0l-2 2a2.8 2.8 0 0 0 4 4l1-1" />
  ),
  lock: (
    <>
      <rect x="3.5" y="7" width="9" height="6.5" rx="1" />
      <path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />
    </>
  ),
  log: <path d="M3 3.5h10 M3 8h10 M3 12.5h6" />,
  minus: <path d="M3.5 8h9" />,
  merge: (
    <>
      <circle cx="4.5" cy="3.5" r="1.5" />
      <circle cx="4.5" cy="12.5" r="1.5" />
      <circle cx="11.5" cy="9" r="1.5" />
      <path d="M4.5 5v6 M4.5 5c0 2.5 2.5 4 5.5 4" />
    </>
  ),
  more: (
    <>
      <circle cx="3.5" cy="8" r=".9" fill="currentColor" />
      <circle cx="8" cy="8" r=".9" fill="currentColor" />
      <circle cx="12.5" cy="8" r=".9" fill="currentColor" />
    </>
  ),
  pause: <path d="M5.5 3.5v9 M10.5 3.5v9" />,
  person: (
    <>
      <circle cx="8" cy="5" r="2.7" />
      <path d="M2.8 14c.5-3 2.5-4.5 5.2-4.5s4.7 1.5 5.2 4.5" />
    </>
  ),
  plus: <path d="M8 3v10 M3 8h10" />,
  retry: <path d="M13 8a5 5 0 1 1-1.6-3.7 M13 2v3h-3" />,
  ring: <circle cx="8" cy="8" r="5.2" stroke-dasharray="2.6 2.2" />,
  run: <path d="M5 3.5v9l7.5-4.5z" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="M10.5 10.5 14 14" />
    </>
  ),
  send: <path d="M14 2 2 7l5 2 2 5z M14 2 7 9" />,
  siren: <path d="M4 12V8.5a4 4 0 0 1 8 0V12 M2.5 13.5h11 M8 1v1.5 M2.5 3.5l1 1 M13.5 3.5l-1 1" />,
  stop: <rect x="4" y="4" width="8" height="8" rx="1" />,
  warn: <path d="M8 2.2 14.5 13.5h-13z M8 6.5v3 M8 11.6v.1" />,
  x: <path d="M4 4l8 8 M12 4l-8 8" />,
  sev0: bars(0),
  sev1: bars(1),
  sev2: bars(2),
  sev3: bars(3),
  sev4: bars(4)
} satisfies Record<string, JSX.Element>
export type IconName = keyof typeof icons

/** An icon beside words that say the same. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="i" aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
)

const symbols = renderToString(
  <>
    {Object.entries(icons).map(([name, shape]) => (
      <symbol id={`i-${name}`} viewBox="0 0 16 16">
        {shape}
      </symbol>
    ))}
  </>
)

/** All icons, once per page. */
export const Sprite = () => (
  <svg class="sprite" width="0" height="0" aria-hidden="true" dangerouslySetInnerHTML={{ __html: symbols }} />
)

/** The gatehouse itself. */
export const Mark = () => (
  <svg
    class="mark"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d="M3 21V4h3.5v2.5h3V4h5v2.5h3V4H21v17h-5.5v-6a3.5 3.5 0 0 0-7 0v6z" />
  </svg>
)
