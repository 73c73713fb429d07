import { Tabs } from "../components/Heading.tsx"

const tabs = [
  ["API tokens", "settings/api"],
  ["Members", "settings/members"],
  ["Coding agents", "settings/mcp"],
  ["Runners", "settings/runners"],
  ["Connections", "settings/connections"],
  ["Policies", "settings/policy"],
  ["Places", "settings/places"],
  ["Your account", "settings/sessions"]
] as const

/** Pages of the settings; `here` is the path of the current one. */
export const SettingsTabs = ({ base, here }: { readonly base: string; readonly here: (typeof tabs)[number][1] }) => (
  <Tabs
    label="Settings"
    tabs={tabs.map(([name, path]) => ({ name, href: `${base}/${path}`, isCurrent: path === here }))}
  />
)
