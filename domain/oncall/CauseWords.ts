/** Splits names and texts into words: `CheckoutController`, `src/cart-totals.ts` and "cart totals" share words. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .slice(0, mostCharacters)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "")
    .map(singular)

const mostCharacters = 4000

const singular = (word: string): string => (word.length > 4 && /[^s]s$/.test(word) ? word.slice(0, -1) : word)

/** Words too common in alerts and files to mean anything. */
const common = new Set(
  `alert error rate high above below service server client request response latency failed failing failure wrong
   test spec index main util helper common internal source package module component production staging development
   http https with from this that does cannot undefined null value object reading read property`
    .split(/\s+/)
    .map(singular)
)

/** Words specific to the subject. */
export const tellingWords = (texts: ReadonlyArray<string>, except: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(texts.flatMap(wordsOf).filter((word) => word.length >= 4 && !common.has(word) && !except.has(word)))

const withoutExtension = (path: string): string => path.replace(/\.[a-z0-9]{1,8}$/i, "")

export const wordsOfPath = (path: string): ReadonlyArray<string> => wordsOf(withoutExtension(path.slice(-500)))

/** File names too common to mean anything. */
const everywhere = new Set(["index", "main", "mod", "lib", "init", "__init__", "app", "readme", "package"])

export const fileOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1).toLowerCase()

/** Names of files in a text, such as a stack trace. */
export const filesIn = (texts: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(
    texts
      .flatMap((text) => text.slice(0, mostCharacters).split(/[^\w./-]+/))
      .map(fileOf)
      .filter((file) => file.includes(".") && !everywhere.has(withoutExtension(file)))
  )
