import { Schema } from "effect"
import { ApiToken } from "../../../domain/workspace/ApiToken.ts"
import { IdempotencyRecord } from "../../../domain/workspace/IdempotencyRecord.ts"
import { Member } from "../../../domain/workspace/Member.ts"
import { Workspace } from "../../../domain/workspace/Workspace.ts"
import { at, fields, table } from "./Table.ts"

const workspaceColumns = `id uuid, slug text, name text, created_at timestamptz, deleted_at timestamptz`
export const workspaces = table("workspaces", ["id"], workspaceColumns)
export const workspace = fields("w", workspaceColumns)
export const ofWorkspace = Schema.encodeSync(Workspace)

const memberColumns = `
  id uuid, email text, name text, role text, created_at timestamptz, removed_at timestamptz`
export const members = table("members", ["id"], memberColumns)
export const member = fields("m", memberColumns)
export const ofMember = Schema.encodeSync(Member)

const tokenColumns = `
  id uuid, member_id uuid, name text, prefix text, hash text, permissions text[], created_at timestamptz,
  expires_at timestamptz, revoked_at timestamptz`
export const tokens = table("api_tokens", ["id"], tokenColumns)
/** The last use is written outside of changes. */
export const token = `${fields("k", tokenColumns)}, ${at("k.last_used_at", "lastUsedAt")}`
export const ofToken = Schema.encodeSync(ApiToken)

const keptAnswerColumns = `token_id uuid, key text, request text, answer text, created_at timestamptz`
export const keptAnswers = table("kept_answers", ["token_id", "key"], keptAnswerColumns)
const encodeKept = Schema.encodeSync(IdempotencyRecord)
export const ofKeptAnswer = (record: IdempotencyRecord) => {
  const { token: tokenId, ...rest } = encodeKept(record)
  return { ...rest, tokenId }
}
