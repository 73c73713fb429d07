import type { Story } from "../work/Story.ts"

type Size = NonNullable<Story["size"]>
type ClassOfService = Story["classOfService"]

const sizes: Readonly<Record<string, Size>> = {
  xs: "xs",
  tiny: "xs",
  trivial: "xs",
  s: "s",
  small: "s",
  m: "m",
  medium: "m",
  l: "l",
  large: "l",
  xl: "xl",
  xxl: "xl",
  huge: "xl"
}
const bySize: ReadonlyArray<Size> = ["xs", "s", "m", "l", "xl"]

const classes: Readonly<Record<string, ClassOfService>> = {
  standard: "standard",
  expedite: "expedite",
  "fixed date": "fixed_date",
  intangible: "intangible"
}
const byUrgency: ReadonlyArray<ClassOfService> = ["standard", "intangible", "fixed_date", "expedite"]

/** Labels of a team that mean a size or a class of service, besides the usual ones. */
export interface LabelMeanings {
  readonly sizes: Readonly<Record<string, Size>>
  readonly classes: Readonly<Record<string, ClassOfService>>
}

export const usualLabels: LabelMeanings = { sizes: {}, classes: {} }

export interface ReadLabels {
  readonly size: Size | null
  readonly classOfService: ClassOfService
}

/** A longer label names nothing. */
const longestLabel = 200

/** The words of a label: `size/XL`, `size: xl` and `Size-XL` are the same. */
const wordsOf = (label: string) =>
  label
    .slice(0, longestLabel)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

const lookedUp = <A>(meanings: Readonly<Record<string, A>>, words: string): A | undefined =>
  Object.entries(meanings).find(([label]) => wordsOf(label) === words)?.[1]

/** The value behind one of the prefixes. */
const behind = <A>(values: Readonly<Record<string, A>>, words: string, prefixes: ReadonlyArray<string>) => {
  const prefix = prefixes.find((one) => words.startsWith(one)) ?? null
  const rest = prefix === null ? "" : words.slice(prefix.length)
  return Object.hasOwn(values, rest) ? values[rest] : undefined
}

const highest = <A>(order: ReadonlyArray<A>, found: ReadonlyArray<A>): A | null =>
  found.length === 0 ? null : (order[Math.max(...found.map((one) => order.indexOf(one)))] ?? null)

/** Reads size and class of service. Of several, the largest size and the most urgent class count. */
export const readLabels = (labels: ReadonlyArray<string>, meanings: LabelMeanings = usualLabels): ReadLabels => {
  const all = labels.map(wordsOf).filter((words) => words !== "")
  const size = all.flatMap(
    (words) => lookedUp(meanings.sizes, words) ?? behind(sizes, words, ["size ", "effort ", "estimate "]) ?? []
  )
  const classOfService = all.flatMap(
    (words) =>
      lookedUp(meanings.classes, words) ?? behind(classes, words, ["class of service ", "class ", "cos ", ""]) ?? []
  )
  return { size: highest(bySize, size), classOfService: highest(byUrgency, classOfService) ?? "standard" }
}
