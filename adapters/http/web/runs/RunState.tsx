import type { RunStatus, RunView, Stage } from "../../../../domain/work/Run.ts"
import { Outside } from "../components/Link.tsx"
import { Badge } from "../components/Parts.tsx"
import { ownPull, stages, states } from "./RunWords.ts"

/** State of a run; one at work shows its stage. */
export const RunBadge = ({ stage, status }: { readonly status: RunStatus; readonly stage: Stage }) => {
  const [icon, tone, words] = states[status]
  return (
    <Badge icon={icon} tone={tone}>
      {status === "running" ? stages[stage] : words}
    </Badge>
  )
}

/** A link to a pull request: to its page here, or to its host. */
export const PullLink = ({
  base,
  of: { number, url }
}: {
  readonly base: string
  readonly of: NonNullable<RunView["pullRequest"]>
}) => {
  const own = ownPull(base, url)
  return own === null ? <Outside href={url}>#{number}</Outside> : <a href={`${base}/pulls/${own}`}>#{own}</a>
}
