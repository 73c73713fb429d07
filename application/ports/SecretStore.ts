import { Context, type Effect } from "effect"

/** Everything that rests sealed, of all workspaces, and what each is bound to. */
export class SecretStore extends Context.Tag("application/SecretStore")<
  SecretStore,
  {
    /** The ids of the keys that something is sealed with. */
    readonly keyIds: Effect.Effect<ReadonlyArray<string>>
    /**
     * Replaces everything sealed with these keys by what `rewrap` makes of it, a row at once or not at all, and answers
     * how many there were. What is made must be sealed with another one.
     */
    readonly rewrap: <E>(
      keyIds: ReadonlyArray<string>,
      rewrap: (sealed: string, about: string) => Effect.Effect<string, E>
    ) => Effect.Effect<number, E>
  }
>() {}
