import { cancel, type Decision, isReady, refuse, say, type State, type Story, teamOf } from "./Model.ts"
import type { Content, NewStory, TeamName } from "./Steps.ts"

const shown = (story: Story) => ({
  key: story.key,
  column: story.column,
  draft: story.draft,
  isReady: isReady(story),
  title: story.title
})

const nextKey = (state: State, team: TeamName) =>
  `${team.toUpperCase()}-${state.stories.filter((story) => story.team === team).length + 1}`

export const create = (state: State, actor: string, team: TeamName, given: NewStory) => {
  if (state.teams[team].isDeleted) return refuse("InvalidDocument")
  const story: Story = {
    ...given,
    key: nextKey(state, team),
    team,
    title: "A story",
    isRejected: false,
    hasTracker: false
  }
  state.stories.push(story)
  say(state, actor, "story_moved", story.key, { team }, { after: { column: story.column } })
  return shown(story)
}

/** An accepted proposal is filed as a draft. */
export const fileStory = (state: State, actor: string, { team, title }: Decision) => {
  const story: Story = {
    key: nextKey(state, team),
    team,
    title: title ?? "",
    column: "backlog",
    draft: true,
    isRejected: false,
    description: false,
    criteria: false,
    demonstrate: false,
    size: null,
    isExpedite: false,
    hasTracker: false
  }
  state.stories.push(story)
  say(state, actor, "story_moved", story.key, { team }, { before: null, after: { draft: true, column: "backlog" } })
}

export const edit = (state: State, actor: string, story: Story, title: string | null, content: Content) => {
  if (story.hasTracker) return refuse("TrackerOwnsText")
  if (title === "") return refuse("InvalidStory")
  Object.assign(story, content, title === null ? {} : { title })
  say(state, actor, "story_changed", story.key, story)
  return shown(story)
}

export const approve = (state: State, actor: string, story: Story) => {
  if (!story.draft) return refuse("NotADraft")
  if (!isReady(story)) return refuse("NotReady")
  story.draft = false
  state.jobs.push("write_story")
  say(state, actor, "story_changed", story.key, story, { before: { draft: true }, after: { draft: false } })
  return shown(story)
}

/** Removes the draft with its pending decisions. */
export const reject = (state: State, actor: string, story: Story) => {
  if (!story.draft) return refuse("NotADraft")
  story.isRejected = true
  say(state, actor, "story_changed", story.key, story, { before: { draft: true }, after: { rejected: true } })
  cancel(
    state,
    actor,
    state.decisions.filter((one) => one.story === story && one.status === "pending")
  )
  return shown(story)
}

export const pause = (state: State, actor: string, slug: TeamName) => {
  const team = teamOf(state, slug)
  if (team.isPaused) return refuse("TeamAlreadyPaused")
  team.isPaused = true
  say(state, actor, "team_paused", slug, { team: slug })
  return { isPaused: true }
}

export const resume = (state: State, actor: string, slug: TeamName) => {
  const team = teamOf(state, slug)
  if (!team.isPaused) return refuse("TeamNotPaused")
  team.isPaused = false
  say(state, actor, "team_resumed", slug, { team: slug })
  return { isPaused: false }
}
