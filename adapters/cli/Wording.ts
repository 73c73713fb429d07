/** The command line as people type it; the README has it too. */
export const program = "./gatehouse"

/** Ways out that messages name for callers of the API, and their counterparts here. */
const counterparts: ReadonlyArray<readonly [ofApi: RegExp, here: string]> = [
  [/^optionId must/, "--option must"],
  [/^note must/, "--note must"],
  [
    /GET \/v1\/teams\/\{team\}\/stories lists a team's stories/,
    "'gatehouse story list --workspace SLUG --as EMAIL --team SLUG' shows a team's stories"
  ],
  [/GET \/v1\/(team|decision|run)s lists them/, "'gatehouse $1 list --workspace SLUG --as EMAIL' shows them"],
  [/POST \/runner\/v1\/hello registers one/, "'gatehouse runner list --workspace SLUG --as EMAIL' shows them"]
]

/** A preset and whether single settings differ from it; the executor may be called custom too. */
export const presetWords = ({ custom, preset }: { readonly custom: boolean; readonly preset: string }): string =>
  custom ? `${preset} with changes` : preset

/** A message of the service in the words of the command line; its commands are complete, to be pasted. */
export const worded = (message: string): string =>
  counterparts
    .reduce((text, [ofApi, here]) => text.replace(ofApi, here), message)
    .replaceAll("'gatehouse ", `'${program} `)
