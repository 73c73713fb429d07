/** What a sealed secret is bound to: it opens for nothing else. */
export const ofSource = (id: string) => `source ${id}`
export const ofPlace = ({ name, team }: { readonly team: string; readonly name: string }) => `place ${team} ${name}`

/** The id of the key that sealed it. */
export const keyIdOf = (sealed: string) => sealed.split(".")[1] ?? ""
