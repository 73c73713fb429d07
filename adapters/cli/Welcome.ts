import * as HttpServer from "@effect/platform/HttpServer"
import { Console, Effect, Option, Redacted } from "effect"
import { PublicUrl } from "../../application/oncall/PublicUrl.ts"
import * as Demo from "../../application/work/Demo.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { DataPlace } from "../DataPlace.ts"
import * as Settings from "../Settings.ts"
import demoDocument from "./demo.json" with { type: "json" }

const hostOf = (name: string) => {
  if (["0.0.0.0", "::", "127.0.0.1"].includes(name)) return "localhost"
  return name.includes(":") ? `[${name}]` : name
}

const addressOf = (address: HttpServer.Address) =>
  address._tag === "TcpAddress" ? `http://${hostOf(address.hostname)}:${address.port}` : address.path

const firstSteps = (url: string, token: string, link: string) => `
The demo workspace was created. Its token, shown this once:

  ${token}

Sign in with this link, once and within 15 minutes:

  ${link}

Try these:

  curl -s -H 'Authorization: Bearer ${token}' ${url}/v1/teams
  curl -s -H 'Authorization: Bearer ${token}' '${url}/v1/decisions?status=pending&limit=3'
  curl -s -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"optionId":"merge"}' ${url}/v1/decisions/dec-h6k3/resolve
`

/** Prints the service's address and first steps; fills an empty embedded database with the demo. */
export const welcome = Effect.gen(function* () {
  const server = yield* HttpServer.HttpServer
  const place = yield* DataPlace
  const url = Option.getOrElse(yield* Settings.publicUrl, () => addressOf(server.address))
  const wanted = place.embedded && (yield* Settings.demo)
  const demo = wanted ? yield* Demo.onFirstStart(demoDocument) : null
  yield* Console.log(`Gatehouse is at ${url} (docs: ${url}/docs)`)
  yield* Console.log(place.embedded ? `Data lives in ${place.where}` : `Data lives in the database ${place.where}`)
  yield* Workspaces.warnOfReserved()
  if (demo === null) return
  const { workspace, owner: email, token } = demo
  const link = yield* Effect.provideService(SignIn.makeLink({ workspace, email }), PublicUrl, url)
  yield* Console.log(firstSteps(url, Redacted.value(token), Redacted.value(link.url)))
})
