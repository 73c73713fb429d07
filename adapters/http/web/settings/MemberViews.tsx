import { atLeast, type Member, type Role } from "../../../../domain/workspace/Member.ts"
import { program } from "../components/ProgramName.ts"
import { Confirm } from "../components/Dialog.tsx"
import { Copy, Field, type Filled, Select, Once } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { Avatar, Button, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { type Column, Table } from "../components/Table.tsx"
import { Time } from "../components/Time.tsx"
import { listed } from "../incidents/IncidentWords.ts"
import { SettingsTabs } from "./SettingsTabs.tsx"

const roleWords: Record<Role, string> = { member: "Member", admin: "Admin", owner: "Owner" }

/** Only an owner gives or takes the role of an owner. */
const rolesFor = (role: Role): ReadonlyArray<Role> =>
  role === "owner" ? ["member", "admin", "owner"] : ["member", "admin"]

const mayChange = (role: Role, member: Pick<Member, "role">) =>
  atLeast(role, "admin") && (member.role !== "owner" || role === "owner")

const isLastOwner = (members: ReadonlyArray<Member>, { role }: Pick<Member, "role">) =>
  role === "owner" && members.filter((one) => one.role === "owner").length === 1

const namesOf = (members: ReadonlyArray<Member>, least: Role) => {
  const names = members.filter(({ role }) => atLeast(role, least)).map(({ name }) => name)
  return `${listed(names)} ${names.length === 1 ? "is" : "are"}.`
}

/** The reason why the reader cannot remove a member; null if they can. */
const hindrance = (
  members: ReadonlyArray<Member>,
  self: Pick<Member, "id" | "role">,
  member: Member
): string | null => {
  if (!atLeast(self.role, "admin")) return `Removing a member takes an admin. ${namesOf(members, "admin")}`
  if (member.role === "owner" && self.role !== "owner")
    return `Removing an owner takes an owner. ${namesOf(members, "owner")}`
  return isLastOwner(members, member) ? handOver : null
}

export const handOver =
  "You are the only owner of this workspace. Make somebody else an owner first, then you can leave it or take another role."

export interface Members {
  readonly base: string
  readonly workspace: string
  readonly self: Pick<Member, "id" | "role">
  readonly members: ReadonlyArray<Member>
  readonly filled: Filled
  /** True when the only owner tried to leave or to take another role. */
  readonly refusal: string | null
  /** The member who was just invited; mailed if mail is set up. */
  readonly invited: { readonly email: string; readonly isMailed: boolean } | null
}

const pathOf = (base: string, { id }: Pick<Member, "id">) => `${base}/settings/members/${id}`

const RoleForm = ({
  base,
  member,
  roles
}: {
  readonly base: string
  readonly member: Member
  readonly roles: ReadonlyArray<Role>
}) => (
  <form class="bar end-of-row" method="post" action={`${pathOf(base, member)}/role`}>
    <label class="vh" for={`role-${member.id}`}>
      Role of {member.name}
    </label>
    <select class="input" id={`role-${member.id}`} name="role">
      {roles.map((role) => (
        <option value={role} selected={role === member.role}>
          {roleWords[role]}
        </option>
      ))}
    </select>
    <button class="btn" type="submit" aria-label={`Save the role of ${member.name}`}>
      Save
    </button>
  </form>
)

const columns = ({ base, members, self }: Members): ReadonlyArray<Column<Member>> => [
  {
    head: "Name",
    fold: "f-start",
    cell: ({ email, id, name }) => (
      <span class="person">
        <Avatar name={name} />
        <span>
          <b>{name}</b>
          {id === self.id ? " (you)" : ""}
          <span class="sub">{email}</span>
        </span>
      </span>
    )
  },
  {
    head: "Role",
    label: "Role",
    cell: (member) =>
      mayChange(self.role, member) && !isLastOwner(members, member) ? (
        <RoleForm base={base} member={member} roles={rolesFor(self.role)} />
      ) : (
        roleWords[member.role]
      )
  },
  { head: "Since", label: "Since", cell: ({ createdAt }) => <Time at={createdAt} as="age" /> },
  ...(atLeast(self.role, "admin")
    ? [
        {
          head: <span class="vh">Action</span>,
          fold: "right f-end",
          cell: (member: Member) =>
            hindrance(members, self, member) === null ? (
              <a
                class="btn danger"
                href={`${pathOf(base, member)}/remove`}
                aria-label={member.id === self.id ? "Leave this workspace" : `Remove ${member.name}`}
              >
                {member.id === self.id ? "Leave" : "Remove"}
              </a>
            ) : null
        }
      ]
    : [])
]

const Invited = ({
  invited,
  workspace
}: Pick<Members, "workspace"> & { readonly invited: NonNullable<Members["invited"]> }) => (
  <Notice tone="ok" icon="check" isAlert>
    <h2 tabindex={-1} data-focus>
      {invited.email} is a member now
    </h2>
    {invited.isMailed ? (
      <p>
        A link to sign in is on its way to them. It works once, for 15 minutes; they can ask for another on the sign-in
        page.
      </p>
    ) : (
      <>
        <p>No mail could be sent. The operator makes a link to hand over with this command:</p>
        <Copy
          label="Command that makes a sign-in link"
          value={`${program} member sign-in-link --workspace ${workspace} --email ${invited.email}`}
        />
      </>
    )}
  </Notice>
)

const Invite = ({ base, filled, self }: Members) => (
  <Panel id="invite" title="Invite somebody">
    <form class="body stack" method="post" action={`${base}/settings/members`} novalidate>
      <Once />
      <Field name="email" type="email" label="E-mail address" filled={filled} maxLength={254} autocomplete="off" />
      <Field
        name="name"
        label="Name"
        hint="Shown to other members."
        filled={filled}
        maxLength={200}
        autocomplete="off"
      />
      <Select
        name="role"
        label="Role"
        hint="Members answer decisions and look after incidents. Admins also change settings."
        filled={filled}
        options={rolesFor(self.role).map((role) => ({ value: role, label: roleWords[role] }))}
      />
      <Button tone="primary wide tall">Invite</Button>
    </form>
  </Panel>
)

/** The members of a workspace; admins also invite, change roles and remove. */
export const MembersPage = (shown: Members) => {
  const { base, invited, members, refusal, self, workspace } = shown
  const isAdmin = atLeast(self.role, "admin")
  return (
    <>
      <Crumbs way={[["Settings", `${base}/settings/api`]]} here="Members" />
      <Heading title="Members">
        <Lede>People who can sign in to this workspace, and what each of them may do.</Lede>
      </Heading>
      <SettingsTabs base={base} here="settings/members" />
      {refusal === null ? null : (
        <Notice tone="warn" isAlert>
          <p>{refusal}</p>
        </Notice>
      )}
      {invited === null ? null : <Invited invited={invited} workspace={workspace} />}
      <div class={isAdmin ? "cols" : "stack"}>
        <Panel
          id="members"
          title="Members"
          end={`${members.length}`}
          footer={
            isAdmin
              ? `Removing somebody ends their sessions and tokens at once.${isLastOwner(members, self) ? ` ${handOver}` : ""}`
              : `Inviting and changing roles takes an admin. ${namesOf(members, "admin")}`
          }
        >
          <Table caption="Members" columns={columns(shown)} rows={members} idOf={({ id }) => `member-${id}`} />
        </Panel>
        {isAdmin ? <Invite {...shown} /> : null}
      </div>
    </>
  )
}

const Effects = ({ isSelf }: { readonly isSelf: boolean }) => (
  <p>
    {isSelf ? "Your" : "Their"} sessions and API tokens in this workspace end at once. Answers and notes stay, with{" "}
    {isSelf ? "your" : "their"} name. {isSelf ? "You" : "They"} can be invited again.
  </p>
)

/** The question before a member is removed; a reader who may not do it reads why. */
export const RemovePage = ({
  base,
  member,
  members,
  self
}: Pick<Members, "base" | "members" | "self"> & { readonly member: Member }) => {
  const isSelf = member.id === self.id
  const why = hindrance(members, self, member)
  const back = `${base}/settings/members`
  return (
    <>
      <Crumbs way={[["Members", back]]} here={member.name} />
      <Heading title={isSelf ? "Leave this workspace?" : `Remove ${member.name}?`} />
      {why === null ? (
        <Confirm
          action={`${pathOf(base, member)}/remove`}
          back={back}
          confirm={isSelf ? "Leave" : "Remove"}
          keep={isSelf ? "Stay" : "Keep them"}
        >
          <Effects isSelf={isSelf} />
        </Confirm>
      ) : (
        <div class="stack">
          <Notice tone="info" icon="lock">
            <p>{why}</p>
          </Notice>
          <p>
            <LinkButton href={back}>Back to the members</LinkButton>
          </p>
        </div>
      )}
    </>
  )
}
