import { assert } from "@effect/vitest"
import type { Rows } from "../../../domain/Change.ts"
import { jobs, uuid } from "./NotifyScene.ts"

/** Asserts some fields of an object. */
export const has = (actual: object | undefined, expected: object) =>
  assert.deepInclude(actual ?? {}, expected as Partial<object>)

/** Notified members, places and other queued jobs, in short. */
export const lanes = (plan: { readonly added: Rows }) => jobs(plan).map(({ lane }) => lane ?? "")
export const toldTo = (plan: { readonly added: Rows }) =>
  jobs(plan)
    .filter(({ kind }) => kind === "notify_member")
    .map(({ payload }) => payload["email"])
export const postedTo = (plan: { readonly added: Rows }) =>
  jobs(plan)
    .filter(({ kind }) => kind === "post_to_place")
    .map(({ payload }) => payload["place"])
export const kinds = (plan: { readonly added: Rows }) => [...new Set(jobs(plan).map(({ kind }) => kind))]

/** The lanes of mails to the first two members. */
export const mails = [`mail inc-aaaa ${uuid(1, 1)}`, `mail inc-aaaa ${uuid(1, 2)}`]
