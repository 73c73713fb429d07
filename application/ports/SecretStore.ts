import { Context, type Effect } from "effect"

/** Everything that rests sealed, of all workspaces, and what each is bound to. */
export class SecretStore extends Context.Tag("application/SecretStore")<
  SecretStore,
  {
    /** The ids of the keys that something is sealed with. */
    readonly keyIds: Effect.Effect<ReadonlyArray<string>>
    /**
     * Replaces all that is sealed in rows which hold something of these keys by what `rewrap` makes of it, a row at once
     * or not at all. Nothing of these keys may be left in it.
     */
    readonly rewrap: <E>(
      keyIds: ReadonlyArray<string>,
      rewrap: (sealed: string, about: string) => Effect.Effect<string, E>
    ) => Effect.Effect<void, E>
  }
>() {}
