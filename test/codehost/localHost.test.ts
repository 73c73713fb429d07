import { Effect } from "effect"
import * as LocalCodeHost from "../../adapters/localgit/LocalCodeHost.ts"
import { codeHostContract } from "../contract/CodeHostContract.ts"
import { bare } from "./Repositories.ts"

codeHostContract(
  "the local code host",
  Effect.map(bare, (repository) => ({
    host: LocalCodeHost.make({ email: "gatehouse@acme.test" }),
    address: repository.path,
    repository
  }))
)
