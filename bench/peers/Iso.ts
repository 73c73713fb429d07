type Iso = {
  (at: Date): string
  (at: Date | null): string | null
}

/** A time as every response shows it: UTC, to the millisecond. */
export const iso = ((at: Date | null) => at && at.toISOString()) as Iso
