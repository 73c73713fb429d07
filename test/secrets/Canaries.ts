/** The part of the base64 text that does not depend on the secret's offset. */
const inBase64 = (bytes: Buffer, before: number) =>
  Buffer.concat([Buffer.alloc(before), bytes])
    .toString("base64")
    .slice(before === 0 ? 0 : before + 1, -4)

/** Every form that would reveal a secret. */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const bytes = Buffer.from(secret)
  const encoded = [0, 1, 2].map((before) => inBase64(bytes, before))
  const hex = bytes.toString("hex")
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    ...encoded,
    ...encoded.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    hex,
    hex.toUpperCase()
  ]
}

/** A secret to plant; long, and unlike any other text. */
export const canary = (name: string) => `canary${name}${[...name].toReversed().join("")}9f3Xq7`

/** A printed or stored text, and its place. */
export interface Trace {
  readonly where: string
  readonly text: string
}

/** The places in which each exposed secret can be read. */
export const sightings = (
  secrets: Readonly<Record<string, string>>,
  traces: ReadonlyArray<Trace>
): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    Object.entries(secrets).flatMap(([name, secret]) => {
      const forms = formsOf(secret)
      const seen = traces.filter(({ text }) => forms.some((form) => text.includes(form))).map(({ where }) => where)
      return seen.length === 0 ? [] : [[name, [...new Set(seen)].sort()]]
    })
  )
