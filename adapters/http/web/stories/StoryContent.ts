import { Struct } from "effect"
import { cut, isPlainLine } from "../../../../domain/value/Text.ts"
import type { Content } from "../../../../domain/work/ChangeStory.ts"
import { ClassOfService, Complexity, Size } from "../../../../domain/work/Story.ts"
import type { Filled } from "../components/Form.tsx"
import type { Form } from "../Forms.ts"
import { beginnings, labels } from "./StoryForm.tsx"
import { linesOf } from "./StoryWords.ts"

/** Fields of the content that a form has, in the form they are typed. */
export const typed = (form: Form): Filled["values"] =>
  Object.fromEntries(Struct.keys(labels).map((name) => [name, form.get(name)]))

/** An error for each field that is absent, which would empty the story's, and for each choice that there is not. */
export const wrongFields = (form: Form, needed: ReadonlyArray<string>, before = ""): Filled["errors"] => {
  const choices: Readonly<Record<string, ReadonlyArray<string>>> = {
    size: ["", ...Size.literals],
    complexity: ["", ...Complexity.literals],
    classOfService: ClassOfService.literals,
    begin: beginnings
  }
  return Object.fromEntries(
    needed.flatMap((name) => {
      if (form.all(name).length === 0) return [[name, `The form lacks the field ${name}. Nothing was saved.`]]
      const given = form.get(name)
      // A title that came from elsewhere may stay as it is.
      if (name === "title" && given.trim() !== "" && given !== before && !isPlainLine(given.trim()))
        return [[name, "Enter a title on one line, with a visible character and without control characters."]]
      return choices[name]?.includes(given) === false
        ? [[name, `‘${cut(given, 60)}’ is none of the choices. Choose one of them.`]]
        : []
    })
  )
}

const orNull = (text: string | undefined) => (text === undefined || text.trim() === "" ? null : text)

export const choice = <A extends string>(of: ReadonlyArray<A>, text: string | undefined): A | null =>
  of.find((one) => one === text) ?? null

export const contentOf = (values: Filled["values"]): Content & { readonly title: string } => ({
  title: (values["title"] ?? "").trim(),
  description: orNull(values["description"]),
  acceptanceCriteria: linesOf(values["acceptanceCriteria"] ?? ""),
  demonstrate: linesOf(values["demonstrate"] ?? ""),
  testPlan: orNull(values["testPlan"]),
  size: choice(Size.literals, values["size"]),
  complexity: choice(Complexity.literals, values["complexity"]),
  classOfService: choice(ClassOfService.literals, values["classOfService"]) ?? "standard"
})

/** The field of the form that a path of the story names, such as `stories[0].title`. */
const fieldOf = (path: string, values: Filled["values"]) =>
  path
    .replace(/^stories\[0\]\./, "")
    .split(/[.[]/)
    .find((part) => part in values) ?? "title"

const wordsOf = (field: string, problem: string, text: string) => {
  if (field === "title" && text.trim() === "") return "Enter a title, such as “Refund in part”."
  const [, most] = /at most (\d+) character/.exec(problem) ?? []
  if (most === undefined) return `This ${problem}.`
  const longest = field === "title" ? text.trim().length : Math.max(...linesOf(text).map(({ length }) => length))
  return `${field === "title" ? "The title" : "A line"} has ${longest} characters; at most ${most} are allowed. Shorten it.`
}

export const wrong = (path: string, problem: string, values: Filled["values"]): Filled => {
  const field = fieldOf(path, values)
  return { values, errors: { [field]: wordsOf(field, problem, values[field] ?? "") } }
}
