/** Names a delivery by its tool's id; an id that no tool would send names nothing. */
export const named = (id: string | undefined): string | null =>
  id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id) ? `id ${id}` : null
