/** `Ann`, `Ann and Bob`, `Ann, Bob and Cleo` */
export const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

export const counted = (amount: number, unit: string): string =>
  `${amount.toLocaleString("en")} ${unit}${amount === 1 ? "" : "s"}`
