import { createHash } from "node:crypto"
import type { Original } from "./Original.ts"

export const all = { limit: 1000, before: null }

/** Fewer than there are. */
export const some = { limit: 2, before: null }

/** As the tokens are kept. */
export const hashed = ({ bearer }: Pick<Original, "bearer">) => createHash("sha256").update(bearer).digest("hex")
