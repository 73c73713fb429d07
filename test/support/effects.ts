import { it, makeMethods } from "@effect/vitest"

// `it.layer` leaves its own `it.effect` behind, and the files of one worker share `it`.
makeMethods(it)
