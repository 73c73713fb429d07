/** Of base64, what is the same wherever the secret stands in what was encoded. */
const inBase64 = (bytes: Buffer, before: number) =>
  Buffer.concat([Buffer.alloc(before), bytes])
    .toString("base64")
    .slice(before === 0 ? 0 : before + 1, -4)

/** Every form in which a secret would be given away. */
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

/** A secret to be planted; long, and like no other text. */
export const canary = (name: string) => `canary${name}${[...name].toReversed().join("")}9f3Xq7`

/** Something that was told or kept, and where. */
export interface Trace {
  readonly where: string
  readonly text: string
}

/** Where each secret can be read, of those that can be read anywhere. */
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
