import { Schema } from "effect"

/** A field that is null until something is known; whoever makes one need not say so. */
export const orNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.NullOr(schema).pipe(
    Schema.propertySignature,
    Schema.withConstructorDefault(() => null)
  )
