/** A delivery by the id its tool gave it; an id no tool would give names nothing. */
export const named = (id: string | undefined): string | null =>
  id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id) ? `id ${id}` : null
