import * as Records from "./Records.ts"

export const services = Records.array(
  Records.service,
  `services v JOIN teams t ON t.workspace_id = v.workspace_id AND t.slug = v.team
  WHERE v.workspace_id = $1 ORDER BY lower(v.name), v.id`
)

export const sources = Records.array(
  Records.source,
  `signal_sources s JOIN workspaces w ON w.id = s.workspace_id
  WHERE s.workspace_id = $1 ORDER BY lower(s.name), s.id`
)
