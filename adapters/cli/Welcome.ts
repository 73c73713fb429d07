import * as HttpServer from "@effect/platform/HttpServer"
import { Console, Effect, Option, Redacted } from "effect"
import { PublicUrl } from "../../application/oncall/PublicUrl.ts"
import * as Demo from "../../application/work/Demo.ts"
import * as SignIn from "../../application/workspace/SignIn.ts"
import * as Workspaces from "../../application/workspace/Workspaces.ts"
import { DataPlace } from "../DataPlace.ts"
import * as Settings from "../Settings.ts"
import { program } from "./Wording.ts"
import demoDocument from "./demo.json" with { type: "json" }

const hostOf = (name: string) => {
  if (["0.0.0.0", "::", "127.0.0.1"].includes(name)) return "localhost"
  return name.includes(":") ? `[${name}]` : name
}

const addressOf = (address: HttpServer.Address) =>
  address._tag === "TcpAddress" ? `http://${hostOf(address.hostname)}:${address.port}` : address.path

type Created = NonNullable<Effect.Effect.Success<ReturnType<typeof Demo.onFirstStart>>>

const firstSteps = Effect.fnUntraced(function* (url: string, { owner: email, workspace, ...demo }: Created) {
  const made = yield* Effect.provideService(SignIn.makeLink({ workspace, email }), PublicUrl, url)
  const [token, link] = [Redacted.value(demo.token), Redacted.value(made.url)]
  return `
The demo workspace was created. Its token, shown this once:

  ${token}

Sign in with this link, once and within 15 minutes:

  ${link}

Try these:

  curl -s -H 'Authorization: Bearer ${token}' ${url}/v1/teams
  curl -s -H 'Authorization: Bearer ${token}' '${url}/v1/decisions?status=pending&limit=3'
  curl -s -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"optionId":"merge"}' ${url}/v1/decisions/dec-h6k3/resolve

See a story go from Ready to merged, in another terminal:

  ${program} demo --live
`
})

/** Prints the service's address and first steps; fills an empty embedded database with the demo. */
export const welcome = Effect.gen(function* () {
  const server = yield* HttpServer.HttpServer
  const place = yield* DataPlace
  const url = Option.getOrElse(yield* Settings.publicUrl, () => addressOf(server.address))
  const wanted = place.embedded && (yield* Settings.demo)
  const demo = wanted ? yield* Demo.onFirstStart(demoDocument) : null
  yield* Workspaces.warnOfReserved()
  const steps = demo && (yield* firstSteps(url, demo))
  // One write, so that a reader of the first line has the rest.
  yield* Console.log(
    [
      `Gatehouse is at ${url} (docs: ${url}/docs)`,
      `Data lives in ${place.embedded ? "" : "the database "}${place.where}`,
      ...(steps === null ? [] : [steps])
    ].join("\n")
  )
})
