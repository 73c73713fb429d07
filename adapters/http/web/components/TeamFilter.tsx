import type { ComponentChildren } from "preact"
import { Select } from "./Form.tsx"

/** Shows a list of one team or of all; without script a button sends the choice. */
export const TeamFilter = ({
  action,
  children,
  team,
  teams
}: {
  readonly action: string
  readonly team: string | null
  readonly teams: ReadonlyArray<{ readonly slug: string; readonly name: string }>
  /** Further fields of the form. */
  readonly children?: ComponentChildren
}) => (
  <form class="bar" method="get" action={action} data-autosubmit>
    {children}
    <Select
      name="team"
      label="Team"
      isLabelHidden
      filled={{ values: { team: team ?? "" }, errors: {} }}
      options={[{ value: "", label: "All teams" }, ...teams.map(({ name, slug }) => ({ value: slug, label: name }))]}
    />
    <button class="btn no-js" type="submit">
      Show
    </button>
  </form>
)
