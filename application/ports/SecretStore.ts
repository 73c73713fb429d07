import { Context, type Effect } from "effect"

/** All sealed secrets of all workspaces, and the owner each is bound to. */
export class SecretStore extends Context.Tag("application/SecretStore")<
  SecretStore,
  {
    /** The ids of the keys that secrets are sealed with. */
    readonly keyIds: Effect.Effect<ReadonlyArray<string>>
    /**
     * Replaces all secrets in rows that hold a secret of these keys by the result of `rewrap`, a row at once or not at
     * all. No secret of these keys may be left in a row.
     */
    readonly rewrap: <E>(
      keyIds: ReadonlyArray<string>,
      rewrap: (sealed: string, about: string) => Effect.Effect<string, E>
    ) => Effect.Effect<void, E>
  }
>() {}
