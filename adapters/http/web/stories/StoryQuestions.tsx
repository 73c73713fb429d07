import type { StoryDetail } from "../../../../domain/work/Story.ts"
import { Inline } from "../decisions/Markdown.tsx"
import { Confirm, Dialog } from "../components/Dialog.tsx"
import { Crumbs, Heading, wayToTeam } from "../components/Heading.tsx"

interface Asked {
  readonly base: string
  readonly story: StoryDetail
  readonly teamName: string
}

const pathOf = ({ base, story }: Pick<Asked, "base" | "story">) => `${base}/stories/${story.key}`

/** The way to a story. */
export const wayOf = ({ base, story, teamName }: Asked) => wayToTeam(base, { name: teamName, slug: story.team })

const Starting = () => (
  <p>
    A run is queued, and a runner of this workspace takes it. The story moves to In progress. Its budget comes from the
    policy.
  </p>
)

const Rejecting = () => (
  <p>The draft leaves the board, its pending decisions are withdrawn, and its number is not used again.</p>
)

const questions = {
  start: { title: "Start a run of", confirm: "Start the run", keep: "Not now", Text: Starting },
  reject: { title: "Reject", confirm: "Reject the draft", keep: "Keep it", Text: Rejecting }
} as const

export type Act = keyof typeof questions

/** The dialog that asks before it happens. */
export const Question = ({ act, shown }: { readonly act: Act; readonly shown: Asked }) => {
  const { confirm, keep, Text: Effects, title } = questions[act]
  return (
    <Dialog
      id={act}
      title={`${title} ${shown.story.key}?`}
      action={`${pathOf(shown)}/${act}`}
      confirm={confirm}
      keep={keep}
      isSafe={act === "start"}
    >
      <Effects />
    </Dialog>
  )
}

/** The question before a draft is rejected or a run is started, as a page of its own. */
export const StoryQuestion = ({ act, ...shown }: Asked & { readonly act: Act }) => {
  const { confirm, keep, Text: Effects, title } = questions[act]
  const path = pathOf(shown)
  return (
    <>
      <Crumbs way={[...wayOf(shown), [shown.story.key, path]]} here={confirm} />
      <Heading title={`${title} ${shown.story.key}?`}>
        <p class="meta">
          <span>
            <Inline text={shown.story.title} />
          </span>
        </p>
      </Heading>
      <Confirm action={`${path}/${act}`} back={path} confirm={confirm} keep={keep} isSafe={act === "start"}>
        <Effects />
      </Confirm>
    </>
  )
}
