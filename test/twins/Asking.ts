import { createHash } from "node:crypto"
import type { Original } from "./Original.ts"

export const all = { limit: 1000, before: null }

/** Fewer than exist. */
export const some = { limit: 2, before: null }

/** The hash under which the token is stored. */
export const hashed = ({ bearer }: Pick<Original, "bearer">) => createHash("sha256").update(bearer).digest("hex")
