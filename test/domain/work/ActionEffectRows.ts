/**
 * Effects of every action on a run in every state, one row each.
 *
 * after    every attempt as status/stage/class/error; `=` is unchanged, `*` is the note, or the value before
 * another  the same while the run waits for another decision too; `"` is the column before
 * story    the column it goes to
 * note     target of a note: the run's inputs, the story's return note
 * moot     true when another pending decision is cancelled
 * steps    `~` is queued, not done; `?` only when no other decision is pending; `>` only when the story was elsewhere
 */
export const rows = `
action                | run       | after                                                   | another                  | story       | note   | moot | job                | steps
approve_plan          | none      | =                                                       | "                        | -           | -      | -    | -                  | plan_approved
approve_plan          | queued    | =                                                       | "                        | in_progress | input  | -    | -                  | plan_approved story_moved>
approve_plan          | running   | running/implementing/-/-                                | "                        | in_progress | input  | -    | -                  | plan_approved implementation_started story_moved>
approve_plan          | waiting   | running/implementing/-/-                                | waiting/implementing/-/- | in_progress | input  | -    | -                  | plan_approved implementation_started? story_moved>
approve_plan          | succeeded | =                                                       | "                        | -           | -      | -    | -                  | plan_approved
approve_plan          | failed    | =                                                       | "                        | -           | -      | -    | -                  | plan_approved
approve_plan          | stopped   | =                                                       | "                        | -           | -      | -    | -                  | plan_approved
request_changes       | none      | =                                                       | "                        | -           | -      | -    | -                  |
request_changes       | queued    | =                                                       | "                        | -           | input  | -    | tell_agent         | answer_delivered~
request_changes       | running   | running/implementing/-/-                                | "                        | -           | input  | -    | tell_agent         | run_resumed? answer_delivered~
request_changes       | waiting   | running/implementing/-/-                                | waiting/implementing/-/- | -           | input  | -    | tell_agent         | run_resumed? answer_delivered~
request_changes       | succeeded | =                                                       | "                        | -           | input  | -    | tell_agent         | answer_delivered~
request_changes       | failed    | =                                                       | "                        | -           | input  | -    | tell_agent         | answer_delivered~
request_changes       | stopped   | =                                                       | "                        | -           | input  | -    | tell_agent         | answer_delivered~
allow_once            | none      | =                                                       | "                        | -           | -      | -    | -                  |
allow_once            | queued    | =                                                       | "                        | -           | input  | -    | -                  | exception_granted
allow_once            | running   | =                                                       | "                        | -           | input  | -    | -                  | exception_granted run_resumed?
allow_once            | waiting   | running/verifying/-/-                                   | =                        | -           | input  | -    | -                  | exception_granted run_resumed?
allow_once            | succeeded | =                                                       | "                        | -           | input  | -    | -                  | exception_granted
allow_once            | failed    | =                                                       | "                        | -           | input  | -    | -                  | exception_granted
allow_once            | stopped   | =                                                       | "                        | -           | input  | -    | -                  | exception_granted
reject                | none      | =                                                       | "                        | backlog     | return | moot | -                  | story_moved>
reject                | queued    | stopped/planning/policy/*                               | "                        | backlog     | return | moot | -                  | run_ended story_moved>
reject                | running   | stopped/implementing/policy/*                           | "                        | backlog     | return | moot | -                  | run_ended story_moved>
reject                | waiting   | stopped/verifying/policy/*                              | "                        | backlog     | return | moot | -                  | run_ended story_moved>
reject                | succeeded | =                                                       | "                        | backlog     | return | moot | -                  | story_moved>
reject                | failed    | =                                                       | "                        | backlog     | return | moot | -                  | story_moved>
reject                | stopped   | =                                                       | "                        | backlog     | return | moot | -                  | story_moved>
raise_budget          | none      | =                                                       | "                        | -           | -      | -    | -                  |
raise_budget          | queued    | =                                                       | "                        | -           | input  | -    | -                  | budget_raised
raise_budget          | running   | =                                                       | "                        | -           | input  | -    | -                  | budget_raised run_resumed?
raise_budget          | waiting   | running/verifying/-/-                                   | =                        | -           | input  | -    | -                  | budget_raised run_resumed?
raise_budget          | succeeded | =                                                       | "                        | -           | input  | -    | -                  | budget_raised
raise_budget          | failed    | =                                                       | "                        | -           | input  | -    | -                  | budget_raised
raise_budget          | stopped   | =                                                       | "                        | -           | input  | -    | -                  | budget_raised
abandon               | none      | =                                                       | "                        | backlog     | -      | moot | -                  | story_moved>
abandon               | queued    | stopped/planning/-/*                                    | "                        | backlog     | -      | moot | -                  | run_ended story_moved>
abandon               | running   | stopped/implementing/-/*                                | "                        | backlog     | -      | moot | -                  | run_ended story_moved>
abandon               | waiting   | stopped/verifying/-/*                                   | "                        | backlog     | -      | moot | -                  | run_ended story_moved>
abandon               | succeeded | =                                                       | "                        | backlog     | -      | moot | -                  | story_moved>
abandon               | failed    | =                                                       | "                        | backlog     | -      | moot | -                  | story_moved>
abandon               | stopped   | =                                                       | "                        | backlog     | -      | moot | -                  | story_moved>
revert_spec_and_retry | none      | =                                                       | "                        | -           | -      | -    | -                  |
revert_spec_and_retry | queued    | =                                                       | "                        | -           | input  | moot | restore_spec       | spec_restored~ attempt_queued
revert_spec_and_retry | running   | failed/implementing/gate/Which way?; queued/planning/-/- | "                        | -           | input  | moot | restore_spec       | spec_restored~ attempt_queued
revert_spec_and_retry | waiting   | failed/verifying/gate/Which way?; queued/planning/-/-    | "                        | -           | input  | moot | restore_spec       | spec_restored~ attempt_queued
revert_spec_and_retry | succeeded | =                                                       | "                        | -           | -      | -    | restore_spec       | spec_restored~
revert_spec_and_retry | failed    | failed/verifying/transient/Boom; queued/planning/-/-     | "                        | -           | input  | moot | restore_spec       | spec_restored~ attempt_queued
revert_spec_and_retry | stopped   | stopped/implementing/-/-; queued/planning/-/-            | "                        | -           | input  | moot | restore_spec       | spec_restored~ attempt_queued
retry                 | none      | =                                                       | "                        | -           | -      | -    | -                  |
retry                 | queued    | =                                                       | "                        | -           | input  | moot | -                  | attempt_queued
retry                 | running   | failed/implementing/gate/Which way?; queued/planning/-/- | "                        | -           | input  | moot | -                  | attempt_queued
retry                 | waiting   | failed/verifying/gate/Which way?; queued/planning/-/-    | "                        | -           | input  | moot | -                  | attempt_queued
retry                 | succeeded | =                                                       | "                        | -           | -      | -    | -                  |
retry                 | failed    | failed/verifying/transient/Boom; queued/planning/-/-     | "                        | -           | input  | moot | -                  | attempt_queued
retry                 | stopped   | stopped/implementing/-/-; queued/planning/-/-            | "                        | -           | input  | moot | -                  | attempt_queued
answer                | none      | =                                                       | "                        | -           | -      | -    | -                  |
answer                | queued    | =                                                       | "                        | -           | input  | -    | tell_agent         | answer_delivered~
answer                | running   | =                                                       | "                        | -           | input  | -    | tell_agent         | answer_delivered~ run_resumed?
answer                | waiting   | running/verifying/-/-                                   | =                        | -           | input  | -    | tell_agent         | answer_delivered~ run_resumed?
answer                | succeeded | =                                                       | "                        | -           | input  | -    | tell_agent         | answer_delivered~
answer                | failed    | =                                                       | "                        | -           | input  | -    | tell_agent         | answer_delivered~
answer                | stopped   | =                                                       | "                        | -           | input  | -    | tell_agent         | answer_delivered~
merge                 | none      | =                                                       | "                        | -           | -      | -    | merge_pull_request | pull_request_merged~
merge                 | queued    | =                                                       | "                        | -           | input  | -    | merge_pull_request | pull_request_merged~
merge                 | running   | running/handing_off/-/-                                 | "                        | -           | input  | -    | merge_pull_request | pull_request_merged~ run_resumed?
merge                 | waiting   | running/handing_off/-/-                                 | waiting/handing_off/-/-  | -           | input  | -    | merge_pull_request | pull_request_merged~ run_resumed?
merge                 | succeeded | =                                                       | "                        | -           | input  | -    | merge_pull_request | pull_request_merged~
merge                 | failed    | =                                                       | "                        | -           | input  | -    | merge_pull_request | pull_request_merged~
merge                 | stopped   | =                                                       | "                        | -           | input  | -    | merge_pull_request | pull_request_merged~
open_revert           | none      | =                                                       | "                        | -           | -      | -    | open_revert        | revert_opened~
open_revert           | queued    | =                                                       | "                        | -           | -      | -    | open_revert        | revert_opened~
open_revert           | running   | =                                                       | "                        | -           | -      | -    | open_revert        | revert_opened~ run_resumed?
open_revert           | waiting   | running/verifying/-/-                                   | =                        | -           | -      | -    | open_revert        | revert_opened~ run_resumed?
open_revert           | succeeded | =                                                       | "                        | -           | -      | -    | open_revert        | revert_opened~
open_revert           | failed    | =                                                       | "                        | -           | -      | -    | open_revert        | revert_opened~
open_revert           | stopped   | =                                                       | "                        | -           | -      | -    | open_revert        | revert_opened~
accept_proposal       | none      | =                                                       | "                        | -           | -      | -    | -                  | proposal_filed
accept_proposal       | queued    | =                                                       | "                        | -           | -      | -    | -                  | proposal_filed
accept_proposal       | running   | =                                                       | "                        | -           | -      | -    | -                  | proposal_filed run_resumed?
accept_proposal       | waiting   | running/verifying/-/-                                   | =                        | -           | -      | -    | -                  | proposal_filed run_resumed?
accept_proposal       | succeeded | =                                                       | "                        | -           | -      | -    | -                  | proposal_filed
accept_proposal       | failed    | =                                                       | "                        | -           | -      | -    | -                  | proposal_filed
accept_proposal       | stopped   | =                                                       | "                        | -           | -      | -    | -                  | proposal_filed
decline_proposal      | none      | =                                                       | "                        | -           | -      | -    | -                  | proposal_declined
decline_proposal      | queued    | =                                                       | "                        | -           | -      | -    | -                  | proposal_declined
decline_proposal      | running   | =                                                       | "                        | -           | -      | -    | -                  | proposal_declined run_resumed?
decline_proposal      | waiting   | running/verifying/-/-                                   | =                        | -           | -      | -    | -                  | proposal_declined run_resumed?
decline_proposal      | succeeded | =                                                       | "                        | -           | -      | -    | -                  | proposal_declined
decline_proposal      | failed    | =                                                       | "                        | -           | -      | -    | -                  | proposal_declined
decline_proposal      | stopped   | =                                                       | "                        | -           | -      | -    | -                  | proposal_declined
`
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const [action, run, after, another, story, note, moot, job, steps] = line.split("|").map((cell) => cell.trim())
    return { action, run, after, another, story, note, moot, job, steps } as Record<Cell, string>
  })

type Cell = "action" | "run" | "after" | "another" | "story" | "note" | "moot" | "job" | "steps"
export type Row = (typeof rows)[number]
