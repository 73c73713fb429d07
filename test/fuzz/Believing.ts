import { type Operation, type Parameter, parametersOf } from "../openapi/Published.ts"

/** An accepted name of the service, beside the documented one. */
const alsoTaken = new Set(["the service"])

const isAllowed = ({ schema }: Parameter, value: string): boolean => {
  if (schema.enum !== undefined) return schema.enum.includes(value) || alsoTaken.has(value)
  if (schema.type === "integer") return /^\d+$/.test(value) && /[1-9]/.test(value)
  return schema.type !== "boolean" || value === "true" || value === "false"
}

/** Query values of a successful request that the document does not allow. */
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
