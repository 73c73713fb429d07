import { Context } from "effect"

/** Location of the data, logged at start. */
export class DataPlace extends Context.Tag("adapters/DataPlace")<
  DataPlace,
  { readonly embedded: boolean; readonly where: string }
>() {}
