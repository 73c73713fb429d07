import type { ChangedFile, Difference } from "../../../../application/ports/codehost/CodeHost.ts"
import type { PullRequestView } from "../../../../domain/codehost/PullRequestRecord.ts"
import { Pairs } from "../components/Facts.tsx"
import { Crumbs, Heading } from "../components/Heading.tsx"
import type { IconName } from "../components/Icon.tsx"
import { Live } from "../components/Live.tsx"
import { Badge, Panel } from "../components/Parts.tsx"
import { Table } from "../components/Table.tsx"
import { Time } from "../components/Time.tsx"

export interface Shown {
  readonly base: string
  readonly pullRequest: PullRequestView
  /** Null when the code host does not answer. */
  readonly changes: Difference | null
}

const states: Readonly<
  Record<PullRequestView["state"], readonly [icon: IconName, tone: "run" | "ok" | "line", word: string]>
> = {
  open: ["merge", "run", "Open"],
  merged: ["check", "ok", "Merged"],
  closed: ["x", "line", "Closed"]
}

/** Characters that would hide or reorder the text around them. */
// oxlint-disable-next-line no-control-regex
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

const visible = (text: string) => text.replace(invisible, "�")

const Reference = ({ base, number }: { readonly base: string; readonly number: number }) => (
  <a href={`${base}/pulls/${number}`}>#{number}</a>
)

const Facts = ({ base, pullRequest }: Shown) => {
  const { createdAt, head, mergeCommit, mergedAt, repository, revertedBy, reverts, runKey, story } = pullRequest
  return (
    <Panel id="facts" title="Pull request">
      <div class="body">
        <Pairs
          of={[
            ...(story === null ? [] : [["Story", <a href={`${base}/stories/${story}`}>{story}</a>] as const]),
            ...(runKey === null ? [] : [["Run", <a href={`${base}/runs/${runKey}`}>{runKey}</a>] as const]),
            ["Repository", visible(repository)],
            [
              "Branch",
              <>
                <code>{visible(pullRequest.branch)}</code> → <code>{visible(pullRequest.base)}</code>
              </>
            ],
            ["Head", <code>{head}</code>],
            ...(mergeCommit === null ? [] : [["Merge commit", <code>{mergeCommit}</code>] as const]),
            ["Opened", <Time at={createdAt} />],
            ...(mergedAt === null ? [] : [["Merged", <Time at={mergedAt} />] as const]),
            ...(reverts === null ? [] : [["Reverts", <Reference base={base} number={reverts} />] as const]),
            ...(revertedBy === null ? [] : [["Reverted by", <Reference base={base} number={revertedBy} />] as const])
          ]}
        />
      </div>
    </Panel>
  )
}

const total = (files: ReadonlyArray<ChangedFile>, which: "added" | "deleted") =>
  files.reduce((sum, { lines }) => sum + (lines?.[which] ?? 0), 0)

const Files = ({ changes }: { readonly changes: Difference }) => {
  const { files } = changes
  return (
    <Panel
      id="files"
      title={files.length === 1 ? "1 file" : `${files.length} files`}
      end={`+${total(files, "added")} −${total(files, "deleted")}`}
    >
      {files.length === 0 ? (
        <p class="body muted">Nothing is changed.</p>
      ) : (
        <Table
          caption="Changed files"
          rows={files.map((file, index) => ({ ...file, index }))}
          idOf={({ index }) => `file-${index}`}
          columns={[
            { head: "File", cell: ({ path }) => <code>{visible(path)}</code>, fold: "f-start" },
            {
              head: "Lines",
              cell: ({ lines }) => (
                <span class="num">{lines === null ? "binary" : `+${lines.added} −${lines.deleted}`}</span>
              ),
              fold: "f-end"
            }
          ]}
        />
      )}
    </Panel>
  )
}

const Diff = ({ changes }: { readonly changes: Difference }) =>
  changes.text === "" ? null : (
    <Panel id="diff" title="Diff" end={changes.isCut ? "Cut: it is longer than shown" : null}>
      <div class="body">
        <pre tabindex={0} role="group" aria-labelledby="diff">
          <code>{visible(changes.text)}</code>
        </pre>
      </div>
    </Panel>
  )

/** One pull request: its state, its way, and what it changes. */
export const PullRequestPage = (detail: Shown) => {
  const { base, changes, pullRequest } = detail
  const { number, runKey, state, team, title } = pullRequest
  const [icon, tone, word] = states[state]
  return (
    <>
      <Crumbs way={[["Decisions", `${base}/decisions`]]} here={`Pull request #${number}`} />
      <Live id="pull" path={`${base}/pulls/${number}`} topics={[runKey ?? "teams"]}>
        <Heading title={visible(title)}>
          <p class="meta">
            <Badge icon={icon} tone={tone}>
              {word}
            </Badge>
            <span class="num">#{number}</span>
            <span>Team {team}</span>
          </p>
        </Heading>
        <div class="stack">
          <Facts {...detail} />
          {changes === null ? (
            <Panel id="files" title="Files">
              <p class="body muted">The repository cannot be read right now, so the changes are not shown.</p>
            </Panel>
          ) : (
            <>
              <Files changes={changes} />
              <Diff changes={changes} />
            </>
          )}
        </div>
      </Live>
    </>
  )
}
