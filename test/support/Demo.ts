import { NodeContext } from "@effect/platform-node"
import { Effect } from "effect"
import { demoDocument } from "../../adapters/cli/DemoDocument.ts"

export const demo = Effect.provide(demoDocument, NodeContext.layer)
