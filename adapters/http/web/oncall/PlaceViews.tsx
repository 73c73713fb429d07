import type { OnCall } from "../../../../domain/oncall/commands/OnCallContext.ts"
import type { Place } from "../../../../domain/oncall/Place.ts"
import { Confirm } from "../components/Dialog.tsx"
import { Field, type Filled, Select, Once } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { Button, Empty, Notice, Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { Age } from "../components/Time.tsx"
import { SettingsTabs } from "../settings/SettingsTabs.tsx"

const removal = (base: string, { name, team }: Pick<Place, "name" | "team">) =>
  `${base}/settings/places/${team}/${encodeURIComponent(name)}/remove`

interface Shown {
  readonly base: string
  readonly at: OnCall
  readonly isAdmin: boolean
  readonly filled: Filled
}

const NewPlace = ({ at, base, filled }: Shown) => (
  <Panel id="new" title="Add a place">
    <form class="body stack" method="post" action={`${base}/settings/places`} novalidate>
      <Once />
      <Select
        name="team"
        label="Team"
        filled={filled}
        options={at.teams.map((slug) => ({ value: slug, label: slug }))}
      />
      <Field
        name="name"
        label="Name"
        hint="As people know it, such as #payments-oncall."
        filled={filled}
        maxLength={200}
        autocomplete="off"
      />
      <Field
        name="address"
        label="Address of the webhook"
        hint="From the chat tool. It is kept encrypted and never shown again."
        filled={filled}
        autocomplete="off"
        spellcheck={false}
      />
      <Button tone="primary wide tall">Add the place</Button>
    </form>
  </Panel>
)

/** Where the incidents of each team are posted. */
export const PlacesPage = (shown: Shown) => {
  const { at, base, isAdmin } = shown
  return (
    <>
      <Crumbs way={[["Settings", `${base}/settings/api`]]} here="Places" />
      <Heading title="Places">
        <Lede>
          Channels of your chat tool in which the incidents of a team are posted, one thread for each incident.
        </Lede>
      </Heading>
      <SettingsTabs base={base} here="settings/places" />
      <div class={isAdmin ? "cols" : "stack"}>
        <Panel
          id="places"
          title="Places"
          end={`${at.places.length}`}
          footer={
            isAdmin ? "Each service chooses among the places of its team." : "Adding and removing takes an admin."
          }
        >
          {at.places.length === 0 ? (
            <Empty title="Incidents are posted nowhere" icon="chat">
              Members are notified by mail and in the app. A place also tells the channel of the team.
            </Empty>
          ) : (
            <Table
              caption="Places"
              rows={at.places}
              idOf={({ name, team }) =>
                `place-${team}-${at.places.findIndex((one) => one.team === team && one.name === name)}`
              }
              columns={[
                { head: "Name", fold: "f-start", cell: ({ name }) => <b>{name}</b> },
                { head: "Team", label: "Team", cell: ({ team }) => team },
                { head: "Added", label: "Added", cell: ({ createdAt }) => <Age at={createdAt} /> },
                ...(isAdmin
                  ? [
                      {
                        head: <span class="vh">Action</span>,
                        fold: "right f-end",
                        cell: (place: Place) => (
                          <a class="btn danger" href={removal(base, place)} aria-label={`Remove ${place.name}`}>
                            Remove
                          </a>
                        )
                      }
                    ]
                  : [])
              ]}
            />
          )}
        </Panel>
        {isAdmin ? <NewPlace {...shown} /> : null}
      </div>
    </>
  )
}

/** The question before a place is removed; a reader who may not do it reads why. */
export const RemovePlacePage = ({
  base,
  isAdmin,
  place
}: {
  readonly base: string
  readonly isAdmin: boolean
  readonly place: Place
}) => {
  const back = `${base}/settings/places`
  return (
    <>
      <Crumbs way={[["Places", back]]} here={place.name} />
      <Heading title={`Remove ${place.name}?`} />
      {isAdmin ? (
        <Confirm action={removal(base, place)} back={back} confirm="Remove the place" keep="Keep it">
          <p>Incidents of {place.team} are no longer posted there, open ones included. What was posted stays.</p>
        </Confirm>
      ) : (
        <Notice tone="info" icon="lock">
          <p>Removing a place takes an admin.</p>
        </Notice>
      )}
    </>
  )
}
