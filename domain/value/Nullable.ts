import { Schema } from "effect"

/** A field that is null until its value is known; constructors may omit it. */
export const orNull = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.NullOr(schema).pipe(
    Schema.propertySignature,
    Schema.withConstructorDefault(() => null)
  )

/** A count that constructors may omit. */
export const orZero = Schema.NonNegativeInt.pipe(
  Schema.propertySignature,
  Schema.withConstructorDefault(() => 0)
)
