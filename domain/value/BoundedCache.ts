/** A cache that is emptied when it is full: its entries are cheap to make again. */
export const boundedCache = <Key, A>(most = 1000) => {
  const known = new Map<Key, A>()
  return {
    get: (key: Key): A | undefined => known.get(key),
    set: (key: Key, value: A): A => {
      if (known.size >= most) known.clear()
      known.set(key, value)
      return value
    }
  }
}
