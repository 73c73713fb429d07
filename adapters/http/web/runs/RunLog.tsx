import type { RunView } from "../../../../domain/work/Run.ts"
import { changed } from "../components/Live.tsx"
import { Crumbs, Heading } from "../components/Heading.tsx"
import { Panel } from "../components/Parts.tsx"

/** A part of an attempt's log, and the position after it. */
export interface Log {
  readonly base: string
  readonly run: string
  readonly attempt: number
  readonly text: string
  readonly next: number
}

const address = ({ attempt, base, run }: Log) => `${base}/runs/${run}/log?attempt=${attempt}`

/**
 * The end of a log: news of it come in its place, with the next end behind them. The end of a page that was just loaded
 * looks once more, for what was added before its stream was open.
 */
const End = ({ isNews, ...log }: Log & { readonly isNews: boolean }) => (
  <span
    id="log-end"
    hx-get={`${address(log)}&after=${log.next}`}
    hx-trigger={isNews ? changed : `${changed}, load delay:1s`}
    data-topics={`log-${log.run} ${log.run}`}
    hx-swap="outerHTML"
  >
    {log.next === 0 ? "Nothing is logged yet. Output of the agent appears here." : null}
  </span>
)

/** The part that was added to a log. */
export const LogNews = (log: Log) => (
  <>
    {log.text}
    <End {...log} isNews />
  </>
)

const Lines = (log: Log) => (
  <pre class="log" id="log" tabindex={0} role="group" aria-labelledby="log-title" data-follow>
    <code>
      {log.text}
      <End {...log} isNews={false} />
    </code>
  </pre>
)

/** The log of an attempt, which follows its agent. */
export const LogPanel = ({ attempts, isCut, ...log }: Log & { readonly attempts: number; readonly isCut: boolean }) => (
  <Panel
    id="log-title"
    title="Log"
    end={
      <>
        {attempts > 1 ? `Attempt ${log.attempt}. ` : ""}
        {isCut ? <a href={address(log)}>The whole log</a> : null}
      </>
    }
  >
    <div class="body">
      <Lines {...log} />
    </div>
  </Panel>
)

/** The whole log of an attempt, on a page of its own. */
export const LogPage = ({ run, ...log }: Omit<Log, "run"> & { readonly run: RunView }) => (
  <>
    <Crumbs
      way={[
        ["Runs", `${log.base}/runs`],
        [run.key, `${log.base}/runs/${run.key}`]
      ]}
      here="Log"
    />
    <Heading title={`Log of ${run.key}`}>
      <p class="meta">
        <span>attempt {log.attempt}</span>
        {run.attemptList
          .filter(({ attempt }) => attempt !== log.attempt)
          .map(({ attempt }) => (
            <a href={address({ ...log, run: run.key, attempt })}>attempt {attempt}</a>
          ))}
      </p>
    </Heading>
    <Panel id="log-title" title={`Attempt ${log.attempt}`}>
      <div class="body">
        <Lines {...log} run={run.key} />
      </div>
    </Panel>
  </>
)
