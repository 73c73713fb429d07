import { type Operation, type Parameter, parametersOf } from "../openapi/Published.ts"

/** The service may be called so, beside what the document shows. */
const alsoTaken = new Set(["the service"])

const isAllowed = ({ schema }: Parameter, value: string): boolean => {
  if (schema.enum !== undefined) return schema.enum.includes(value) || alsoTaken.has(value)
  if (schema.type === "integer") return /^\d+$/.test(value) && /[1-9]/.test(value)
  return schema.type !== "boolean" || value === "true" || value === "false"
}

/** What was taken for good although the document does not allow it, of the query of a request that succeeded. */
export const believed = (operation: Operation, target: string): ReadonlyArray<string> => {
  const [, ...query] = target.split("?")
  const given = new URLSearchParams(query.join("?"))
  return parametersOf(operation)
    .filter((parameter) => parameter.in === "query")
    .flatMap((parameter) => {
      const values = given.getAll(parameter.name)
      if (values.length > 1) return [`takes ${parameter.name} twice`]
      return values
        .filter((value) => !isAllowed(parameter, value))
        .map((value) => `takes '${value.slice(0, 100)}' for ${parameter.name}`)
    })
}
