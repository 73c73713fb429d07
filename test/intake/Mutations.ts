const nested = (depth: number, open: string, close: string): unknown =>
  JSON.parse(open.repeat(depth) + close.repeat(depth))

const deep = nested(200, "[", "]")

/** Values no field expects, among them values that cannot be stored, serialised, or used as an address. */
export const oddities: ReadonlyArray<unknown> = [
  null,
  true,
  -1,
  1e308,
  "",
  " ",
  "odd",
  "\0",
  "\ud800",
  "0001-01-01T00:00:00Z",
  "9".repeat(40),
  "x".repeat(20_000),
  [],
  {},
  [null],
  [["odd", deep]],
  { odd: { deep } },
  JSON.parse('{"__proto__":{"title":"odd"},"constructor":"odd"}'),
  deep
]

/** More than one call can take as arguments. */
export const many: ReadonlyArray<unknown> = Array.from({ length: 20_000 }, () => "odd")

type Path = ReadonlyArray<string>

/** The paths of all values within one; of a list, only of its first element. */
export const places = (value: unknown): ReadonlyArray<Path> => {
  if (typeof value !== "object" || value === null) return [[]]
  const inner = Array.isArray(value) ? Object.entries(value).slice(0, 1) : Object.entries(value)
  return [[], ...inner.flatMap(([key, one]) => places(one).map((path) => [key, ...path]))]
}

/** A copy with another value at one path. */
export const replaced = (value: unknown, [key, ...rest]: Path, by: unknown): unknown => {
  if (key === undefined) return by
  if (Array.isArray(value))
    return value.map((inner, index) => (String(index) === key ? replaced(inner, rest, by) : inner))
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, name === key ? replaced(inner, rest, by) : inner])
      )
    : by
}

/** A copy without one path. */
export const without = (value: unknown, [key, ...rest]: Path): unknown => {
  if (key === undefined || typeof value !== "object" || value === null) return undefined
  const inner: unknown = Reflect.get(value, key)
  if (rest.length > 0) return replaced(value, [key], without(inner, rest))
  return Array.isArray(value)
    ? value.filter((_, index) => String(index) !== key)
    : Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
}
