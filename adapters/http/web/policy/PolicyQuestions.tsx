import type { Policy } from "../../../../domain/workspace/Policy.ts"
import { Field } from "../components/Form.tsx"
import { Crumbs, Heading } from "../components/Heading.tsx"
import { Button, LinkButton, Notice } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { custom, path, type Shown } from "./PolicyViews.tsx"
import type { Difference } from "./PolicyWords.ts"

/** The difference and its consequences, before it is saved. */
export const PreviewPage = ({
  base,
  differences,
  filled,
  next,
  team
}: Pick<Shown, "base" | "team" | "filled"> & {
  readonly next: Pick<Policy, "custom" | "preset" | "version">
  readonly differences: ReadonlyArray<Difference>
}) => {
  const back = path(base, team.slug)
  const isRenamed = (team.policy?.preset ?? null) !== next.preset
  return (
    <>
      <Crumbs
        way={[
          ["Policies", `${base}/settings/policy`],
          [team.name, back]
        ]}
        here="Change"
      />
      <Heading title={`Change the policy of ${team.name}?`}>
        <p class="meta">
          <span>Version {next.version}</span>
          <span>{custom(next)}</span>
        </p>
      </Heading>
      {differences.length === 0 && !isRenamed ? (
        <div class="stack">
          <Notice tone="info" icon="check">
            <p>These are the rules that hold already. There is nothing to save.</p>
          </Notice>
          <p>
            <LinkButton href={back}>Back to the policy</LinkButton>
          </p>
        </div>
      ) : (
        <form class="stack" method="post" action={back}>
          {Object.entries(filled.values).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <input type="hidden" name="version" value={team.policy?.version ?? 0} />
          <input type="hidden" name="step" value="save" />
          <section class="panel" aria-labelledby="differences">
            <header>
              <h2 id="differences" tabindex={-1} data-focus>
                What changes, and what follows
              </h2>
            </header>
            {differences.length === 0 ? (
              <p class="body">Only the name of the preset: the rules stay.</p>
            ) : (
              <Table
                caption="What changes, and what follows"
                rows={differences}
                idOf={({ name }) => `change-${name.toLowerCase().replaceAll(/\W+/g, "-")}`}
                columns={[
                  { head: "Setting", fold: "f-start", cell: ({ name }) => <b>{name}</b> },
                  { head: "Now", label: "Now", cell: ({ before }) => <del>{before}</del> },
                  { head: "Then", label: "Then", cell: ({ after }) => <ins>{after}</ins> },
                  { head: "What follows", label: "Follows", cell: ({ consequence }) => consequence }
                ]}
              />
            )}
          </section>
          <p class="bar">
            <LinkButton href={back}>Keep the policy</LinkButton>
            <Button tone="primary">Save the policy</Button>
          </p>
          <p class="small muted">The change takes effect at once and is in the audit log.</p>
        </form>
      )}
    </>
  )
}

/** The question before a team is deleted; a reader who may not do it reads why. */
export const DeletePage = ({ base, filled, role, team }: Pick<Shown, "base" | "role" | "team" | "filled">) => {
  const back = path(base, team.slug)
  return (
    <>
      <Crumbs
        way={[
          ["Policies", `${base}/settings/policy`],
          [team.name, back]
        ]}
        here="Delete"
      />
      <Heading title={`Delete the team ${team.name}?`} />
      {role === "owner" ? (
        <form class="stack" method="post" action={`${back}/delete`} novalidate>
          <p>
            Its runs stop, its pending decisions are withdrawn, its services end and their incidents are resolved, all
            at once. Rows and audit entries stay. The name {team.slug} cannot be used again.
          </p>
          <Field
            name="confirm"
            label={`Type ${team.slug} to confirm`}
            filled={filled}
            autocomplete="off"
            spellcheck={false}
          />
          <p class="bar">
            <LinkButton href={back}>Keep it</LinkButton>
            <Button tone="danger solid">Delete the team</Button>
          </p>
        </form>
      ) : (
        <div class="stack">
          <Notice tone="info" icon="lock">
            <p>Deleting a team takes an owner of the workspace.</p>
          </Notice>
          <p>
            <LinkButton href={back}>Back to the policy</LinkButton>
          </p>
        </div>
      )}
    </>
  )
}
