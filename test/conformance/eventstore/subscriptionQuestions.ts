import type { Questions } from "./conformance.js";

export const SUBSCRIPTIONS: Questions = {
  "a stream from its start, and new events after that": `
    append abc at none -> 2
    follow F -> following
    sees F -> a@0 b@1 c@2
    append de at 2 -> 4
    sees F -> a@0 b@1 c@2 d@3 e@4
    follow G from 1 -> following
    sees G -> c@2 d@3 e@4
    follow H from end -> following
    is-live H -> yes
    append f at 4 -> 5
    sees H -> f@5
    follow I from 99 -> following
    is-live I -> yes
    append g at 5 -> 6
    sees F -> a@0 b@1 c@2 d@3 e@4 f@5 g@6
    sees I -> nothing`,
  "a subscriber is told once that it has caught up": `
    append abc at none -> 2
    follow F -> following
    is-live F -> yes
    append d at 2 -> 3
    follow-all G where stream:s -> following
    is-live G -> yes
    append e at 3 -> 4
    sees F -> a@0 b@1 c@2 d@3 e@4
    sees G -> a@0 b@1 c@2 d@3 e@4
    is-live F -> yes
    is-live G -> yes`,
  "a stream that does not exist yet": `
    follow F -> following
    append ab at none -> 1
    sees F -> a@0 b@1`,
  "$all by a prefix of the stream's name, with checkpoints": `
    append ab at none in x1 -> 1
    append cd at none in y1 -> 1
    follow-all F where stream:x window 2 -> following
    sees F -> a@0 b@1
    is-live F -> yes
    append e at 1 in y1 -> 2
    append f at 1 in x1 -> 2
    append g at none in x2 -> 0
    sees F -> a@0 b@1 f@2 g@0
    has-checkpoints F -> yes
    read in y1 -> c@0 d@1 e@2`,
  "$all after an event's own position": `
    append abc at none in x1 -> 2
    follow-all F from 1 where stream:x -> following
    sees F -> c@2
    append d at 2 in x1 -> 3
    sees F -> c@2 d@3`,
  "$all by a regular expression on the stream's name": `
    append ab at none in x1 -> 1
    append c at none in z1 -> 0
    follow-all F where stream:/^(x|y)/ -> following
    is-live F -> yes
    sees F -> a@0 b@1`,
  "$all by prefixes of the type": `
    append abc at none in x1 -> 2
    follow-all F where type:t-a,t-c -> following
    is-live F -> yes
    sees F -> a@0 c@2`,

  "a subscriber to a missing stream is not told that it has caught up, except from the end": `
    follow F -> following
    waits F -> yes
    append ab at none -> 1
    sees F -> a@0 b@1
    is-live F -> yes
    follow G from end in y -> following
    is-live G -> yes
    append c at none in y -> 0
    sees G -> c@0`,
  "a deleted stream counts as missing until it has new events": `
    append ab at none -> 1
    delete at any -> done
    follow F -> following
    waits F -> yes
    append c at any -> 2
    sees F -> c@2
    is-live F -> yes`,
  "more events than a live subscriber's buffer holds, for a subscriber that waits for the stream to exist": `
    follow F -> following
    waits F -> yes
    append abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz at none -> 77
    is-live F -> yes
    ends-with F -> z@77`,
  "checkpoints come after whole windows while catching up, none when it has caught up; when live, after enough events": `
    append abcdef at none in x1 -> 5
    follow-all F from 0 where stream:x window 2 -> following
    sees F -> b@1 c@2 d@3 e@4 f@5
    is-live F -> yes
    checkpoints-of F -> 2
    append z at none in y1 -> 0
    checkpoints-of F -> 3
    append ghijk at 5 in x1 -> 10
    checkpoints-of F -> 5
    follow-all G from 0 where stream:x window 1 -> following
    is-live G -> yes
    checkpoints-of G -> 11
    follow-all H from 0 where stream:x window 100 -> following
    is-live H -> yes
    checkpoints-of H -> 0
    follow-all I from end where stream:x window 5 -> following
    is-live I -> yes
    append lmn at 10 in x1 -> 13
    checkpoints-of I -> 0
    append op at 13 in x1 -> 15
    checkpoints-of I -> 1`,
  "$all by a regular expression on the type": `
    append abcd at none in x1 -> 3
    follow-all F where type:/^t-[bd]$/ -> following
    is-live F -> yes
    append efb at 3 in x1 -> 6
    sees F -> b@1 d@3 b@6`,
  "$all by an invalid regular expression": `
    follow-all F where type:/^(/ -> following
    ends F -> unknown
    is-confirmed F -> no`,
  "$all unfiltered, from the end": `
    append a at none -> 0
    follow-all F from end -> following
    is-live F -> yes
    append bc at 0 -> 2
    append d at none in x -> 0
    sees F -> b@1 c@2 d@0`,
  "a tombstone ends the stream's subscriptions, and later ones at once": `
    append ab at none -> 1
    follow F -> following
    is-live F -> yes
    tombstone at 1 -> done
    ends F -> stream-deleted
    sees F -> a@0 b@1 $streamDeleted@9223372036854775807
    follow G -> following
    ends G -> stream-deleted
    is-confirmed G -> no
    follow H in $$s -> following
    ends H -> stream-deleted
    follow I from end -> following
    is-live I -> yes
    sees I -> nothing`,
  "a stream truncated beyond its head shows the next event to live subscribers, and not to reads": `
    append ab at none -> 1
    describe {"truncateBefore":60} at any -> 0
    follow F -> following
    is-live F -> yes
    append c at 1 -> 2
    sees F -> c@2
    read -> nothing`,
  "a subscriber of a deleted stream goes on with its next event": `
    append ab at none -> 1
    follow F -> following
    is-live F -> yes
    delete at any -> done
    append c at any -> 2
    sees F -> a@0 b@1 c@2
    follow G -> following
    sees G -> c@2`,
};
