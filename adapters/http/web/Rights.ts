import type { Person } from "../../../application/workspace/Authorization.ts"
import { atLeast } from "../../../domain/workspace/Member.ts"
import { type Operation, rights } from "../../../domain/workspace/RequiredRole.ts"

/** True when a page offers an operation to its reader; the use case decides. */
export const may = ({ member }: Person, operation: Operation): boolean => atLeast(member.role, rights[operation])
