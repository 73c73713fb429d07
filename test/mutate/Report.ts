import type { Mutant } from "./Mutants.ts"
import type { Outcome } from "./Outcome.ts"

export type Judged = Mutant & { readonly outcome: Outcome }

/** Least share of mutants that tests kill. */
export const least = 85

interface Score {
  readonly killed: number
  readonly survived: number
  readonly unreached: number
  readonly static: number
  /** Killed in 100 that are not static. */
  readonly percent: number
}

export const scoreOf = (judged: ReadonlyArray<Judged>): Score => {
  const count = (...statuses: ReadonlyArray<Outcome["status"]>) =>
    judged.filter(({ outcome }) => statuses.includes(outcome.status)).length
  const killed = count("killed", "endless")
  const survived = count("survived")
  const unreached = count("unreached")
  const all = killed + survived + unreached
  return { killed, survived, unreached, static: count("static"), percent: all === 0 ? 100 : (100 * killed) / all }
}

/** A file whose mutants are all static has no score. */
const percentOf = ({ killed, percent, survived, unreached }: Score) =>
  killed + survived + unreached === 0 ? "–" : `${percent.toFixed(1)} %`

const inLine = (text: string) => {
  const one = text.replaceAll(/\s+/g, " ").trim()
  return one.length > 70 ? `${one.slice(0, 67)}…` : one
}

/** `file:line:column  original → replacement` of every mutant that is not killed. */
export const survivors = (judged: ReadonlyArray<Judged>): ReadonlyArray<string> =>
  judged
    .filter(({ outcome }) => outcome.status === "survived" || outcome.status === "unreached")
    .map(
      ({ column, file, line, original, outcome, replacement }) =>
        `${file}:${line}:${column}  ${inLine(original)} → ${inLine(replacement) || "(nothing)"}${outcome.status === "unreached" ? "  (no test reaches it)" : ""}`
    )

const byFile = (judged: ReadonlyArray<Judged>): ReadonlyArray<readonly [file: string, score: Score]> =>
  [...new Set(judged.map(({ file }) => file))].map(
    (file) => [file, scoreOf(judged.filter((one) => one.file === file))] as const
  )

export const onTerminal = (judged: ReadonlyArray<Judged>): string => {
  const total = scoreOf(judged)
  return [
    ...survivors(judged),
    "",
    "  score  killed  survived  unreached  static",
    ...[...byFile(judged), ["all", total] as const].map(([file, score]) =>
      [
        percentOf(score).padStart(7),
        String(score.killed).padStart(7),
        String(score.survived).padStart(9),
        String(score.unreached).padStart(10),
        String(score.static).padStart(7),
        ` ${file}`
      ].join(" ")
    ),
    ""
  ].join("\n")
}

export const page = (judged: ReadonlyArray<Judged>, at: string): string => {
  const total = scoreOf(judged)
  const row = (name: string, score: Score) =>
    `| ${name} | ${percentOf(score)} | ${score.killed} | ${score.survived} | ${score.unreached} | ${score.static} |`
  return [
    "# Mutation score",
    "",
    `\`npm run mutate\` writes this page: it changes the code of \`domain\` in one place at a time (a *mutant*) and runs the tests in \`test/domain\` that run this code; a test that fails kills the mutant. At ${at}, the tests kill ${total.percent.toFixed(1)} % of ${total.killed + total.survived + total.unreached} mutants; at least ${least} % is required. Static mutants, which act only while files are loaded, are left out.`,
    "",
    "| File | Score | Killed | Survived | Reached by no test | Static |",
    "|---|---|---|---|---|---|",
    row("all", total),
    ...byFile(judged).map(([file, score]) => row(`\`${file}\``, score)),
    "",
    "## Survivors",
    "",
    "```text",
    ...survivors(judged),
    "```",
    ""
  ].join("\n")
}
