import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import ts from "typescript"
import { turns } from "../support/Share.ts"

const root = resolve(import.meta.dirname, "../..")

const files = ["domain", "application", "adapters"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name))
)

const literals = (file: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.ESNext))
  return found
}

export interface Expression {
  readonly of: string
  readonly expression: RegExp
  /** Prefixes that let an anchored expression get past its first letters, and fillers that may follow without end. */
  readonly starts: ReadonlyArray<string>
  readonly fillers: ReadonlyArray<string>
}

const expressionOf = (file: string, text: string): Expression => {
  const end = text.lastIndexOf("/")
  const source = text.slice(1, end)
  const plain = source.replace(/\\([^a-zA-Z0-9])/g, "$1")
  const words = [...plain.matchAll(/[\w=:/. -]{2,}/g)].map(([word]) => word)
  const letters = new Set([...plain.replace(/[\\^$()|?*+{}]/g, ""), " ", "\n", "a", "0", "-", "/", "[", '\\"'])
  return {
    of: `${file} ${text}`,
    expression: new RegExp(source, text.slice(end + 1)),
    starts: [...new Set(["", ...words, words.join("")])],
    fillers: [...letters]
  }
}

/** Every regular expression in the sources; the short form takes those of a share of the files, by day. */
export const expressions: ReadonlyArray<Expression> = turns(files).flatMap((file) =>
  literals(file).map((text) => expressionOf(file, text))
)
