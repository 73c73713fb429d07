import { Context } from "effect"

/** Where the data lives, told to people at start. */
export class DataPlace extends Context.Tag("application/DataPlace")<
  DataPlace,
  { readonly embedded: boolean; readonly where: string }
>() {}
