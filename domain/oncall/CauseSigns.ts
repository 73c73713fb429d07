import { fileOf, filesIn, tellingWords, wordsOf, wordsOfPath } from "./CauseWords.ts"
import type { Candidate, Evidence, EvidenceAlert } from "./Investigation.ts"
import type { SourceKind } from "./SignalSource.ts"

/** A sign for or against a merge as the cause. */
export interface Sign {
  readonly points: number
  readonly reason: string
}

const sign = (points: number, reason: string): Sign => ({ points, reason })

const textsOf = ({ description, labels, title }: EvidenceAlert): ReadonlyArray<string> => [
  title,
  description ?? "",
  ...Object.values(labels)
]

const infrastructure = new Set(
  "disk filesystem volume inode certificate cert tls ssl quota dns backup snapshot storage replica replication".split(
    " "
  )
)
const clouds = new Set<SourceKind>(["cloudwatch", "azure-monitor"])

/** `TypeError` and `NullPointerException`, not `Error` alone. */
const named = /(?:^|[^\w])([A-Z]\w{0,80}(?:Error|Exception))(?!\w)/
const failing = /(?:^|[^\w])(?:5xx|50[0-4]|errors?|exceptions?|panic|crash\w{0,20})(?!\w)/i

/** Signs that the alert reports an error in code. */
export const codeSigns = ({ alerts }: Evidence): ReadonlyArray<Sign> => {
  if (alerts.some(({ kind }) => kind === "sentry")) return [sign(2, "an error tracker reports it")]
  const name = alerts.map(({ title }) => named.exec(title)?.[1]).find((found) => found !== undefined)
  return name === undefined ? [] : [sign(2, `the alert names ${name}`)]
}

/** Signs that the cause lies outside the code. */
export const infrastructureSigns = ({ alerts, service }: Evidence): ReadonlyArray<Sign> => {
  const own = new Set(wordsOf(service))
  const word = alerts.flatMap(({ title }) => wordsOf(title)).find((one) => infrastructure.has(one) && !own.has(one))
  const isFrom = (kinds: (kind: SourceKind) => boolean) => alerts.length > 0 && alerts.every(({ kind }) => kinds(kind))
  return [
    ...(word === undefined ? [] : [sign(-4, `the alert is about infrastructure: ${word}`)]),
    ...(isFrom((kind) => kind === "statuspage") ? [sign(-4, "a status page reports it")] : []),
    ...(isFrom((kind) => clouds.has(kind)) ? [sign(-1, "a cloud alarm reports it")] : [])
  ]
}

export const symptomSigns = ({ alerts }: Evidence): ReadonlyArray<Sign> =>
  alerts.some(({ title }) => failing.test(title)) ? [sign(1, "the alert tells of failing requests or crashes")] : []

/** Sooner is likelier: most bad changes show within the hour. */
export const timeSign = (millis: number): Sign => {
  const minutes = Math.round(millis / 60_000)
  const since =
    minutes < 120 ? `${minutes} ${minutes === 1 ? "minute" : "minutes"}` : `${Math.round(minutes / 60)} hours`
  return sign(minutes <= 30 ? 2 : minutes <= 120 ? 1 : 0, `it was merged ${since} before the first alert`)
}

const holds = (words: ReadonlyArray<string>, name: string): boolean => {
  const all = new Set(words)
  const wanted = wordsOf(name)
  return wanted.length > 0 && wanted.every((word) => all.has(word))
}

/** Signs of the service a merge belongs to, from its paths or its story. */
export const serviceSigns = (
  { otherServices, service }: Evidence,
  { paths, title }: Candidate
): ReadonlyArray<Sign> => {
  const at = (name: string) => paths?.find((path) => holds(wordsOfPath(path), name))
  const own = at(service)
  if (own !== undefined) return [sign(2, `it changes ${service} (${own})`)]
  const other = otherServices.find((name) => at(name) !== undefined)
  if (other !== undefined) return [sign(-3, `it changes ${other} (${at(other)}), not ${service}`)]
  if (otherServices.length === 0) return [sign(1, "the team runs no other service")]
  const words = wordsOf(title)
  if (holds(words, service)) return [sign(1, `its story is about ${service}`)]
  const otherService = otherServices.find((name) => holds(words, name))
  return otherService === undefined ? [] : [sign(-3, `its story is about ${otherService}, not ${service}`)]
}

const isBeside = (path: string): boolean =>
  /\.(?:md|mdx|rst|adoc)$/i.test(path) || /(?:^|\/)(?:docs?|tests?|__tests__|specs?)\//i.test(path)

const environments = new Set(["production", "prod", "staging", "stage", "development", "dev"])
const environmentOf = (path: string) =>
  path
    .toLowerCase()
    .split("/")
    .find((part) => environments.has(part))
const isSame = (a: string, b: string) => a.startsWith(b) || b.startsWith(a)

/** Signs against a merge that cannot have reached the alert's environment. */
export const reachSigns = ({ environment }: Evidence, { paths }: Candidate): ReadonlyArray<Sign> => {
  if (paths === null || paths.length === 0) return []
  if (paths.every(isBeside)) return [sign(-4, "it changes only docs and tests")]
  const only = paths.map(environmentOf)
  const [first] = only
  const isElsewhere =
    environment !== null &&
    first !== undefined &&
    only.every((one) => one !== undefined && !isSame(one, environment.toLowerCase()))
  return isElsewhere ? [sign(-4, `it changes only ${first}, not ${environment}`)] : []
}

/** Words and files that an alert and a merge have in common. */
export const wordSigns = (evidence: Evidence, { paths, title }: Candidate): ReadonlyArray<Sign> => {
  const texts = evidence.alerts.flatMap(textsOf)
  const files = filesIn(texts)
  const file = paths?.find((path) => files.has(fileOf(path)))
  if (file !== undefined) return [sign(3, `the alert names ${fileOf(file)}, which it changes`)]
  const except = new Set([evidence.service, evidence.environment ?? "", ...evidence.otherServices].flatMap(wordsOf))
  const words = tellingWords(texts, except)
  for (const path of paths ?? []) {
    const word = wordsOfPath(path).find((one) => words.has(one))
    if (word !== undefined) return [sign(2, `the alert's word '${word}' is in ${path}`)]
  }
  const word = wordsOf(title).find((one) => words.has(one))
  return word === undefined ? [] : [sign(1, `the alert's word '${word}' is in its story's title`)]
}
