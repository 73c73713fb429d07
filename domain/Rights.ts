import type { Role } from "./Member.ts"

/** The least role that may do each thing; a decision may ask for more of whoever answers it. */
export const rights = {
  "audit read": "admin",
  "audit export": "admin",
  "decision raise": "member",
  "run start": "member",
  "run stop": "member",
  "run retry": "member",
  "run lease": "member",
  "run report": "member",
  "run finish": "member",
  "story create": "member",
  "story edit": "member",
  "story approve": "member",
  "story reject": "member",
  "team create": "admin",
  "team pause": "admin",
  "team resume": "admin",
  "team delete": "owner",
  "policy set": "admin",
  "member add": "admin",
  "member add owner": "owner",
  "member remove": "admin",
  "member remove owner": "owner",
  "token create": "member",
  "token revoke": "member"
} satisfies Record<string, Role>

export type Operation = keyof typeof rights
