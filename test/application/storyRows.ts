import { DateTime } from "effect"
import * as Stories from "../../application/work/Stories.ts"
import type { TeamSlug } from "../../domain/workspace/Team.ts"
import { acts, newStory, story } from "./house.ts"
import type { Row } from "./OnRecordRow.ts"

const nobody = "nobody" as TeamSlug

/** Use cases of stories. */
export const storyRows: Readonly<Record<string, Row>> = {
  "Stories.approve": {
    act: acts["Stories.approve"],
    entries: ["story_changed story payments"],
    refusals: {
      NotADraft: (_, person) => Stories.approve(person, story("PAY-1")),
      NotReady: (_, person) => Stories.approve(person, story("PAY-7"))
    }
  },
  "Stories.create": {
    act: acts["Stories.create"],
    entries: ["story_moved story payments"],
    refusals: { InvalidDocument: (_, person) => Stories.create(person, { ...newStory, team: nobody }) }
  },
  "Stories.edit": {
    act: acts["Stories.edit"],
    entries: ["story_changed story payments"],
    refusals: {
      InvalidStory: (_, person) => Stories.edit(person, story("PAY-1"), { title: "" }),
      StoryChangedMeanwhile: (_, person) =>
        Stories.edit(person, story("PAY-1"), { title: "Mine" }, DateTime.unsafeMake(1)),
      TrackerOwnsText: (_, person) => Stories.edit(person, story("WEB-1"), { title: "Mine" }),
      StoryNotFound: (_, person) => Stories.edit(person, story("PAY-99"), { title: "Mine" })
    }
  },
  "Stories.move": {
    act: acts["Stories.move"],
    entries: ["story_moved story payments"],
    refusals: {
      DraftNotMovable: (_, person) => Stories.move(person, story("PAY-2"), "ready"),
      RunHoldsStory: (_, person) => Stories.move(person, story("PAY-1"), "done"),
      StoryAlreadyThere: (_, person) => Stories.move(person, story("PAY-3"), "ready"),
      StoryNotFound: (_, person) => Stories.move(person, story("PAY-99"), "ready")
    }
  },
  "Stories.reject": {
    act: acts["Stories.reject"],
    entries: ["story_changed story payments"],
    refusals: { NotADraft: (_, person) => Stories.reject(person, story("PAY-1")) }
  }
}
