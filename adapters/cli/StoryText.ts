import { isMirrorNote, type StoryDetail, type StorySummary } from "../../domain/work/Story.ts"
import { columns, flat, paragraphs, section, time } from "./Columns.ts"

/** The cells of a story in a list. */
export const storyCells = (story: typeof StorySummary.Encoded): ReadonlyArray<string> => [
  story.key,
  story.draft ? "draft" : story.column.name,
  `ready ${story.readinessScore}`,
  story.size ?? "–",
  story.classOfService,
  time(story.updatedAt),
  story.title
]

/** All of a story, for people. */
export const storyPage = (story: typeof StoryDetail.Encoded): string =>
  [
    `${story.key}: ${flat(story.title)}`,
    ...columns([
      ["  Team", story.team],
      ["  Column", story.draft ? `${story.column.name}, a draft` : story.column.name],
      ["  Readiness", `${story.readinessScore} of 100`],
      ["  Size", story.size ?? "unknown"],
      ["  Complexity", story.complexity ?? "unknown"],
      ["  Class of service", story.classOfService],
      ["  Tracker", story.tracker === null ? "none" : `${story.tracker.key}  ${story.tracker.url}`],
      ["  Runs", story.runKeys.join(", ") || "none"],
      ["  Changed", time(story.updatedAt)]
    ]),
    ...section(
      `Returned to ${isMirrorNote(story.returnNote ?? "") ? "Refining" : "Backlog"} with the note`,
      paragraphs(story.returnNote)
    ),
    ...section("Description", paragraphs(story.description)),
    ...section(
      "Acceptance criteria",
      columns(story.acceptanceCriteria.map(({ id, status, text }) => [id, status, text]))
    ),
    ...section(
      "Demonstrate",
      story.demonstrate.map((step, index) => `${index + 1}. ${step}`)
    ),
    ...section("Test plan", paragraphs(story.testPlan))
  ].join("\n")
