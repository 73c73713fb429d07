/** The owner a sealed secret is bound to; the secret opens for no other. */
export const ofSource = (id: string) => `source ${id}`
export const ofPlace = ({ name, team }: { readonly team: string; readonly name: string }) => `place ${team} ${name}`
export const ofConnection = (id: string) => `connection ${id}`

/** The id of the key that sealed the secret. */
export const keyIdOf = (sealed: string) => sealed.split(".")[1] ?? ""
