import { Effect, Schema, Struct } from "effect"
import type { AuditLog } from "../../../../application/ports/AuditLog.ts"
import type { ImportStore } from "../../../../application/ports/ImportStore.ts"
import * as Json from "../../../../application/ports/Json.ts"
import { TeamStore } from "../../../../application/ports/TeamStore.ts"
import * as Teams from "../../../../application/work/Teams.ts"
import { permit } from "../../../../application/workspace/Authorization.ts"
import * as DeniedTarget from "../../../../application/workspace/DeniedTarget.ts"
import { isPlainLine } from "../../../../domain/value/Text.ts"
import { Preset } from "../../../../domain/workspace/Policy.ts"
import { Team, type TeamSlug, TeamView } from "../../../../domain/workspace/Team.ts"
import { Choices, Field, type Filled, TextArea, Once } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { Button, LinkButton, Panel } from "../components/Parts.tsx"
import type { Page, View, Visit } from "../Page.ts"
import { presetHints, presetWords } from "../policy/PolicyWords.ts"
import { redirect } from "../Render.tsx"

const NewTeam = ({ base, filled }: { readonly base: string; readonly filled: Filled }) => (
  <>
    <Crumbs way={[["Teams", `${base}/teams`]]} here="New team" />
    <Heading title="New team">
      <Lede>A team has a board of stories, a policy for its AI runs, and services that it looks after.</Lede>
    </Heading>
    <Panel id="new-team" title="The team">
      <form class="body stack" method="post" action={`${base}/new-team`} novalidate data-keeps>
        <Once />
        <Field name="name" label="Name" hint="Such as Payments." filled={filled} maxLength={200} required />
        <Field
          name="slug"
          label="Short name in addresses"
          hint="Lowercase words joined by hyphens, such as payments. It cannot be changed, nor used again."
          filled={filled}
          maxLength={64}
          autocomplete="off"
          spellcheck={false}
          required
        />
        <Field
          name="keyPrefix"
          label="Beginning of its story keys"
          hint="1 to 10 letters and digits, such as PAY for PAY-1 and PAY-2. It cannot be changed."
          filled={filled}
          maxLength={10}
          autocomplete="off"
          spellcheck={false}
          required
        />
        <TextArea name="description" label="What it is for" hint="May be left empty." filled={filled} />
        <Choices
          name="preset"
          label="The policy it begins with"
          type="radio"
          filled={filled}
          options={Preset.literals.map((value) => ({ value, label: presetWords[value], hint: presetHints[value] }))}
        />
        <p class="bar">
          <Button tone="primary">Create the team</Button>
          <LinkButton href={`${base}/teams`}>Back to the teams</LinkButton>
        </p>
      </form>
    </Panel>
  </>
)

const viewOf = ({ base }: Visit, filled: Filled, status = 200): View => ({
  title: "New team",
  section: "teams",
  status,
  body: <NewTeam base={base} filled={filled} />
})

const ask = (visit: Visit) =>
  Effect.as(
    permit(visit.person, "team create", DeniedTarget.ofWorkspace(visit.person)),
    viewOf(visit, { values: { preset: "standard" }, errors: {} })
  )

/** Problems in the words of the form, by the field of the document. */
const problems: Readonly<Record<string, string>> = {
  name: "Enter a name of at most 200 characters on one line, such as Payments.",
  slug: "Enter lowercase letters and digits, joined by hyphens, such as payments.",
  keyPrefix: "Enter 1 to 10 letters and digits, a letter first, such as PAY."
}

const isRight = {
  name: Schema.is(Team.fields.name),
  slug: Schema.is(Team.fields.slug),
  keyPrefix: Schema.is(Team.fields.keyPrefix)
}

const taken = "A team of this workspace has it, or had it. Choose another."

type Input = Pick<Team, "name" | "slug"> & { readonly keyPrefix: string }

/** The refusal names one field; what else is wrong is found here, so that the form shows all. */
const errorsOf = (input: Input, teams: ReadonlyArray<TeamView>, path: string, problem: string): Filled["errors"] => {
  const field = path.replace(/^teams\[0\]\./, "").split(/[.[]/)[0] ?? ""
  const isTaken = problem.includes("is taken")
  const refused = field in problems ? (isTaken ? taken : (problems[field] ?? "")) : `This ${problem}.`
  return {
    ...Object.fromEntries(
      Struct.keys(isRight).flatMap((one) => (isRight[one](input[one]) ? [] : [[one, problems[one]]]))
    ),
    ...(teams.some(({ slug }) => slug === input.slug) && { slug: taken }),
    ...(teams.some(({ keyPrefix }) => keyPrefix === input.keyPrefix) && { keyPrefix: taken }),
    [field in problems ? field : "name"]: refused
  }
}

const decodeTeams = Json.decoder(Schema.Array(TeamView))

const create = (visit: Visit) => {
  const { base, form, person } = visit
  const names = ["name", "slug", "keyPrefix", "description", "preset"]
  const values: Filled["values"] = Object.fromEntries(names.map((name) => [name, form.get(name).trim()]))
  const { description = "", keyPrefix = "", name = "", slug = "" } = values
  const preset = Preset.literals.find((one) => one === values["preset"])
  if (preset === undefined)
    return Effect.as(
      permit(person, "team create", DeniedTarget.ofWorkspace(person)),
      viewOf(visit, { values, errors: { preset: "Choose one of the policies." } }, 400)
    )
  if (name !== "" && !isPlainLine(name))
    return Effect.as(
      permit(person, "team create", DeniedTarget.ofWorkspace(person)),
      viewOf(visit, { values, errors: { name: "Enter a name on one line, with a visible character." } }, 400)
    )
  // The document that it becomes is checked as a whole.
  const input: Input = { name, slug: slug.toLowerCase() as TeamSlug, keyPrefix: keyPrefix.toUpperCase() }
  return Teams.create(person, {
    ...input,
    description: description === "" ? null : description,
    preset
  }).pipe(
    Effect.map((team) => redirect(`${base}/teams/${team.slug}`, "team-created")),
    Effect.catchTag("InvalidDocument", ({ path, problem }) =>
      Effect.gen(function* () {
        const teams = decodeTeams(yield* (yield* TeamStore).list(person.workspace))
        return viewOf(visit, { values, errors: errorsOf(input, teams, path, problem) }, 400)
      })
    )
  )
}

/** Beside the teams, not below them: any slug may be a team's. */
export const pages: ReadonlyArray<Page<AuditLog | ImportStore | TeamStore>> = [
  { path: "new-team", get: ask, post: create }
]
