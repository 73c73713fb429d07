import type { ComponentChildren } from "preact"
import {
  acceptanceFolder,
  MergePolicy,
  PlanApproval,
  type Policy,
  Preset,
  type Settings
} from "../../../../domain/workspace/Policy.ts"
import { atLeast, type Role } from "../../../../domain/workspace/Member.ts"
import type { Team, TeamView } from "../../../../domain/workspace/Team.ts"
import { Pairs } from "../components/Facts.tsx"
import { Choices, Field, type Filled, TextArea } from "../components/Form.tsx"
import { Crumbs, Heading, Lede } from "../components/Heading.tsx"
import { Badge, Button, Empty, LinkButton, Notice, Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { Age } from "../components/Time.tsx"
import { SettingsTabs } from "../settings/SettingsTabs.tsx"
import { mergeWords, money, planWords, presetHints, presetWords, settings } from "./PolicyWords.ts"

/** Address of a team's policy. */
export const path = (base: string, slug: string) => `${base}/settings/policy/${slug}`

/** `Standard, with changes` */
export const custom = ({ custom: departs, preset }: Pick<Policy, "custom" | "preset">) =>
  `${presetWords[preset]}${departs ? ", with changes" : ""}`

/** The teams of a workspace with the main rules of each. */
export const PoliciesPage = ({ base, teams }: { readonly base: string; readonly teams: ReadonlyArray<TeamView> }) => (
  <>
    <Crumbs way={[["Settings", `${base}/settings/api`]]} here="Policies" />
    <Heading title="Policies">
      <Lede>What the agents of each team may do alone, and when they ask a person. Every member can read it.</Lede>
    </Heading>
    <SettingsTabs base={base} here="settings/policy" />
    <section class="panel" aria-label="Policies">
      {teams.length === 0 ? (
        <Empty title="There is no team yet" icon="board">
          A team gets a policy when it is created.
        </Empty>
      ) : (
        <Table
          caption="Policies"
          rows={teams}
          idOf={({ slug }) => `policy-${slug}`}
          columns={[
            {
              head: "Team",
              fold: "f-start",
              cell: ({ name, slug }) => <a href={path(base, slug)}>{name}</a>
            },
            {
              head: "Preset",
              label: "Preset",
              cell: ({ policy }) => (policy === null ? "None of its own" : custom(policy))
            },
            {
              head: "Plans approved by people",
              label: "Plans",
              cell: ({ policy }) => planWords[policy?.planApproval ?? "always"]
            },
            {
              head: "Merged without asking",
              label: "Merges",
              cell: ({ policy }) => mergeWords[policy?.mergePolicy ?? "manual"]
            },
            {
              head: "Budget of a run",
              label: "Budget",
              cell: ({ policy }) => <span class="num">{money(policy?.budgets.runCents ?? 500)}</span>
            }
          ]}
        />
      )}
    </section>
  </>
)

export interface Shown {
  readonly base: string
  readonly role: Role
  readonly team: Team
  /** The rules that hold, also for a team without a policy. */
  readonly settings: Settings
  readonly filled: Filled
  /** Set when somebody else changed the policy while the form was open. */
  readonly isStale: boolean
}

const Head = ({ team }: Pick<Shown, "team">) => (
  <Heading title={`Policy of ${team.name}`}>
    <p class="meta">
      <Badge icon="lock" tone="line">
        {team.policy === null ? "No policy of its own" : custom(team.policy)}
      </Badge>
      {team.policy === null ? <span>the rules of Guarded hold</span> : <span>version {team.policy.version}</span>}
      {team.policy === null ? null : (
        <span>
          changed <Age at={team.policy.updatedAt} />
        </span>
      )}
    </p>
  </Heading>
)

const Rules = ({ of }: { readonly of: Settings }) => (
  <Panel id="rules" title="Rules that hold now">
    <div class="body">
      <Pairs of={settings.map(({ name, shown }) => [name, shown(of)])} />
    </div>
  </Panel>
)

/** Offers the values of another preset; they are saved only after the difference was shown. */
const Presets = ({ base, filled, team }: Shown) => (
  <Panel id="presets" title="Begin with a preset">
    <form class="body stack" method="get" action={path(base, team.slug)}>
      <Choices
        name="preset"
        label="Preset"
        type="radio"
        filled={filled}
        options={Preset.literals.map((value) => ({ value, label: presetWords[value], hint: presetHints[value] }))}
      />
      <p class="hint">Fills the form with its values. Nothing is saved yet, and denied paths stay.</p>
      <Button>Fill the form</Button>
    </form>
  </Panel>
)

const Fieldset = ({ children, title }: { readonly title: string; readonly children: ComponentChildren }) => (
  <fieldset class="stack">
    <legend class="label">{title}</legend>
    {children}
  </fieldset>
)

const PolicyForm = ({ base, filled, team }: Shown) => (
  <Panel id="change" title="Change the policy">
    <form class="body stack wide" method="post" action={path(base, team.slug)} novalidate data-keeps>
      <input type="hidden" name="preset" value={filled.values["preset"]} />
      <input type="hidden" name="version" value={team.policy?.version ?? 0} />
      <Fieldset title="Work">
        <div class="fields">
          <Field name="executor" label="Coding agent" filled={filled} hint="Such as claude-code, codex or custom" />
          <Field name="maxConcurrency" label="Runs at the same time" filled={filled} inputmode="numeric" />
        </div>
        <TextArea
          name="deniedPaths"
          label="Paths that agents may not change"
          filled={filled}
          hint={`One a line, such as infra/**. ${acceptanceFolder} always is one.`}
        />
        <Choices
          name="acceptanceSpecRequired"
          label="Acceptance spec"
          type="checkbox"
          filled={filled}
          options={[{ value: "on", label: "A run needs an acceptance spec", hint: "Only Trial works without" }]}
        />
      </Fieldset>
      <Fieldset title="Money, in euros">
        <div class="fields">
          <Field name="runCents" label="A run" filled={filled} inputmode="decimal" hint="Then a person is asked" />
          <Field name="dayCents" label="A day" filled={filled} inputmode="decimal" hint="Empty: no limit" />
          <Field name="monthCents" label="A month" filled={filled} inputmode="decimal" hint="Empty: no limit" />
        </div>
      </Fieldset>
      <Choices
        name="planApproval"
        label="Plans that a person approves"
        type="radio"
        filled={filled}
        options={PlanApproval.literals.map((value) => ({ value, label: planWords[value] }))}
      />
      <Choices
        name="mergePolicy"
        label="Verified changes that merge without asking"
        type="radio"
        filled={filled}
        options={MergePolicy.literals.map((value) => ({ value, label: mergeWords[value] }))}
      />
      <div class="fields">
        <Field name="mergeMaxLines" label="Lines of a small change" filled={filled} inputmode="numeric" />
        <Field
          name="gateFailureBudget"
          label="Failures of a gate"
          filled={filled}
          inputmode="numeric"
          hint="Then a person is asked"
        />
        <Field
          name="decisionHours"
          label="Hours to answer a decision"
          filled={filled}
          inputmode="numeric"
          hint="1 to 8760"
        />
      </div>
      <Button tone="primary wide tall">Show what changes</Button>
    </form>
  </Panel>
)

const Deleting = ({ base, role, team }: Pick<Shown, "base" | "role" | "team">) => (
  <Panel id="end" title="Delete the team">
    <div class="body stack">
      <p class="small">
        Its runs stop, its decisions are withdrawn and its incidents are resolved. It stays in the log.
      </p>
      {role === "owner" ? (
        <p>
          <LinkButton href={`${path(base, team.slug)}/delete`} tone="danger wraps">
            Delete {team.name}
          </LinkButton>
        </p>
      ) : (
        <p class="small muted">This takes an owner of the workspace.</p>
      )}
    </div>
  </Panel>
)

/** All of a team's policy; admins also change it. */
export const PolicyPage = (shown: Shown) => {
  const { base, filled, isStale, role, settings: of, team } = shown
  const isAdmin = atLeast(role, "admin")
  const wrong = Object.keys(filled.errors).length
  return (
    <>
      <Crumbs way={[["Policies", `${base}/settings/policy`]]} here={team.name} />
      <Head team={team} />
      {isStale ? (
        <Notice tone="warn" isAlert>
          <h2>Somebody changed this policy meanwhile</h2>
          <p>Your values are kept. Look at the rules that hold now, then show again what changes.</p>
        </Notice>
      ) : null}
      {wrong > 1 ? (
        <Notice tone="bad" isAlert>
          <p>{wrong} values cannot be read. Each says what to enter.</p>
        </Notice>
      ) : null}
      <div class="cols">
        <div class="stack">{isAdmin ? <PolicyForm {...shown} /> : <Rules of={of} />}</div>
        <div class="stack">
          {isAdmin ? (
            <>
              <Presets {...shown} />
              <Rules of={of} />
            </>
          ) : (
            <Notice tone="info" icon="lock">
              <p>Every member reads this. Changing it takes an admin.</p>
            </Notice>
          )}
          <Deleting base={base} role={role} team={team} />
        </div>
      </div>
    </>
  )
}
