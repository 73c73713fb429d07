/** Webhook payloads in the shape of GitHub's examples, with the values of this server. */
import { createRequire } from "node:module"
import { fullRepositoryShape, userShape } from "./Shapes.ts"
import * as State from "./State.ts"
import type { World } from "./World.ts"

type Json = Readonly<Record<string, unknown>>

interface Definition {
  readonly name: string
  readonly examples: ReadonlyArray<Json>
}

const require = createRequire(import.meta.url)
let definitions: ReadonlyArray<Definition> | null = null

/** Examples of one event. */
const examplesOf = (event: string): ReadonlyArray<Json> => {
  definitions ??= require("@octokit/webhooks-examples") as ReadonlyArray<Definition>
  return definitions.find(({ name }) => name === event)?.examples ?? []
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** A value with the keys of both; a list keeps one element with the keys of all. */
const united = (one: unknown, other: unknown): unknown => {
  if (Array.isArray(one) || Array.isArray(other)) {
    const all = [one, other].flatMap((list): ReadonlyArray<unknown> => (Array.isArray(list) ? list : []))
    return all.length === 0 ? [] : [all.reduce(united)]
  }
  if (!isObject(one) || !isObject(other)) return isObject(one) ? one : other
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...keys].map((key) => [key, united(one[key], other[key])]))
}

const shapes = new Map<string, Json>()

/** All keys that the examples of an event have. */
const shapeOf = (event: string): Json => {
  const known = shapes.get(event) ?? (examplesOf(event).reduce<unknown>(united, {}) as Json)
  shapes.set(event, known)
  return known
}

/** The part of `ours` whose keys a shape has. */
const shaped = (shape: unknown, ours: unknown): unknown => {
  if (Array.isArray(ours)) {
    const first: unknown = Array.isArray(shape) ? shape[0] : undefined
    return first === undefined ? ours : ours.map((one) => shaped(first, one))
  }
  if (!isObject(shape) || !isObject(ours)) return ours
  const keys = Object.keys(ours).filter((key) => key in shape)
  return Object.fromEntries(keys.map((key) => [key, shaped(shape[key], ours[key])]))
}

export interface Event {
  readonly repository: State.Repository | null
  readonly sender: State.User
  readonly event: string
  readonly action: string | null
  readonly payload: Json
  readonly installation: State.Installation | null
}

/** Repositories carry seconds instead of text in the times of a push. */
const repositoryOf = (world: World, repository: State.Repository, event: string) => {
  const shape = fullRepositoryShape(world, repository)
  if (event !== "push") return shape
  const seconds = (at: number) => Math.floor(at / 1000)
  const owner = { name: repository.owner.login, email: null, ...shape.owner }
  return {
    ...shape,
    owner,
    created_at: seconds(repository.createdAt),
    pushed_at: seconds(repository.pushedAt),
    master_branch: repository.defaultBranch,
    stargazers: 0
  }
}

export const payloadOf = (world: World, { repository, sender, event, action, payload, installation }: Event): Json => {
  const shape = shapeOf(event)
  const ours: Json = {
    ...(action === null ? {} : { action }),
    ...payload,
    ...(repository === null ? {} : { repository: repositoryOf(world, repository, event) }),
    sender: userShape(world, sender)
  }
  const whole = Object.fromEntries(Object.entries(ours).map(([key, value]) => [key, shaped(shape[key], value)]))
  if (installation === null || event.startsWith("installation")) return whole
  return { ...whole, installation: { id: installation.id, node_id: State.nodeId("I", installation.id) } }
}
