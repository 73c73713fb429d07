/** Conditions without which nobody notices anything, as they stand amid their statement, and why that is so. */
export const survivors: Readonly<Record<string, string>> = {
  "d.seq FOR NO KEY UPDATE) l) AS locked) n ON true JOIN decisions d ON [d.workspace_id = $1] AND d.key = $2 LEFT JOIN LATERAL ( SELECT FROM ru":
    "It only says which run and story to lock, and both are looked up in the own workspace.",
  "rkspaces w WHERE w.id = $1 AND EXISTS ( SELECT FROM decisions x WHERE [x.workspace_id = $1] AND x.key = $2 AND x.kind IN ('maintenance_propos":
    "It only says whether to lock the own workspace, which may be locked for nothing."
}
