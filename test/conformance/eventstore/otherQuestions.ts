import type { Questions } from "./conformance.js";

export const READS: Questions = {
  "a stream that is not there": `
    read -> stream-not-found
    read backwards -> stream-not-found`,
  forwards: `
    append abcdef at none -> 5
    read from 2 -> c@2 d@3 e@4 f@5
    read from 2 max 2 -> c@2 d@3
    read from 5 -> f@5
    read from 6 -> nothing
    read from 60 -> nothing
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  backwards: `
    append abcdef at none -> 5
    read backwards -> f@5 e@4 d@3 c@2 b@1 a@0
    read backwards from 2 -> c@2 b@1 a@0
    read backwards from 60 max 2 -> f@5 e@4
    read backwards from start -> a@0
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "$all is in the order of the appends; forwards includes the position, backwards does not": `
    append ab at none in x -> 1
    append cd at none in y -> 1
    append ef at 1 in x -> 3
    read-all -> a@0 b@1 c@0 d@1 e@2 f@3
    read-all from 2 max 2 -> c@0 d@1
    read-all from 2 -> c@0 d@1 e@2 f@3
    read-all backwards from 2 max 2 -> b@1 a@0
    read in x -> a@0 b@1 e@2 f@3
    read in y -> c@0 d@1`,

  "what the server's reader fails on: a stream forwards from its end, or no events at a time": `
    append ab at none -> 1
    read from end -> unknown
    read max 0 -> unknown
    read backwards max 0 -> unknown
    read from end in missing -> unknown
    read max 0 in missing -> unknown
    read from 9223372036854775807 -> nothing
    read from 9223372036854785808 -> unknown
    read backwards from 18446744073709551615 -> b@1 a@0`,
  "a truncated stream gives as many as it is asked for, from its new beginning": `
    append abcdef at none -> 5
    describe {"truncateBefore":3} at any -> 0
    read max 2 -> d@3 e@4
    read from 4 -> e@4 f@5
    read backwards max 5 -> f@5 e@4 d@3
    read backwards from 2 -> nothing
    describe {"truncateBefore":60} at any -> 1
    read -> nothing
    read in $$s -> $metadata@1
    read backwards in $$s -> $metadata@1`,
  "$all from a position within an append": `
    append abcd at none in x -> 3
    read-all from 1 max 2 -> b@1 c@2
    read-all backwards from 3 max 2 -> c@2 b@1
    read-all backwards from 0 max 1 -> nothing`,
};

export const SUBSCRIPTIONS: Questions = {
  "a stream from its start, on into what is new": `
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
  "caught up is said once": `
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
  "a stream that is not there yet": `
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
  "a deleted stream is not there either, until it goes on": `
    append ab at none -> 1
    delete at any -> done
    follow F -> following
    waits F -> yes
    append c at any -> 2
    sees F -> c@2
    is-live F -> yes`,
  "more than a live subscriber's buffer holds, for one that waits for the stream": `
    follow F -> following
    waits F -> yes
    append abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz at none -> 77
    is-live F -> yes
    ends-with F -> z@77`,
  "checkpoints come after whole windows while it catches up, not when it has; live as soon as enough were seen": `
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
  "$all by an expression that is none": `
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
  "a stream that is cut off beyond its head shows the next event to live subscribers, and not to reads": `
    append ab at none -> 1
    describe {"truncateBefore":60} at any -> 0
    follow F -> following
    is-live F -> yes
    append c at 1 -> 2
    sees F -> c@2
    read -> nothing`,
  "a deleted stream's follower goes on with what comes next": `
    append ab at none -> 1
    follow F -> following
    is-live F -> yes
    delete at any -> done
    append c at any -> 2
    sees F -> a@0 b@1 c@2
    follow G -> following
    sees G -> c@2`,
};

export const DELETES: Questions = {
  "a deleted stream is not there; its description says why": `
    append abc at none -> 2
    delete at 2 -> done
    read -> stream-not-found
    description -> {"truncateBefore":9223372036854776000}`,
  "a deleted stream goes on at any": `
    append abc at none -> 2
    delete at any -> done
    append d at any -> 3
    read -> d@3`,
  "a deleted stream goes on at none": `
    append abc at none -> 2
    delete at any -> done
    append d at none -> 3
    read -> d@3`,
  "a deleted stream goes on at its head": `
    append abc at none -> 2
    delete at any -> done
    append d at 2 -> 3
    read -> d@3`,
  "a tombstone is for good": `
    append abc at none -> 2
    tombstone at 2 -> done
    read -> stream-deleted
    append d at any -> stream-deleted
    append d at none -> stream-deleted
    delete at any -> stream-deleted
    read -> stream-deleted`,
  "a description can keep the last events only": `
    append abcdef at none -> 5
    describe {"maxCount":2} at any -> 0
    read -> e@4 f@5
    read backwards -> f@5 e@4
    description -> {"maxCount":2}
    append g at 5 -> 6
    read -> f@5 g@6`,

  "after a delete and a new beginning, the first append at none again is a wrong version": `
    append abc at none -> 2
    delete at any -> done
    append d at none -> 3
    append d at none -> wrong version: expected none, is 3
    read -> d@3`,
  "exists of a deleted stream": `
    append a at none -> 0
    delete at 0 -> done
    append b at exists -> stream-deleted
    read -> stream-not-found`,
  "deletes at the wrong revision": `
    append ab at none -> 1
    delete at 0 -> wrong version: expected 0, is 1
    delete at none -> wrong version: expected -1, is 1
    tombstone at 7 -> wrong version: expected 7, is 1
    read -> a@0 b@1`,
  "a stream that is not there cannot be deleted, but can be closed for good": `
    delete at any -> wrong version: expected -2, is -1
    delete at none -> wrong version: expected -1, is -1
    tombstone at 3 -> wrong version: expected 3, is -1
    tombstone at any -> done
    append a at none -> stream-deleted`,
  "a new description of a deleted stream does not bring its events back": `
    append abc at none -> 2
    delete at any -> done
    describe {"cacheControl":60} at any -> 1
    description -> {"cacheControl":60,"truncateBefore":3}
    read -> nothing
    append d at 2 -> 3
    read -> d@3`,
  "a description that is no number of events, and one that is none at all, hides nothing": `
    append abc at none -> 2
    describe {"maxCount":0} at any -> 0
    read -> a@0 b@1 c@2
    describe {"maxAge":0,"truncateBefore":-1} at any -> 1
    read -> a@0 b@1 c@2
    describe {"$maxCount":"1","truncateBefore":2} at any -> 2
    read -> a@0 b@1 c@2
    describe {"truncateBefore":9223372036854775808} at any -> 3
    read -> a@0 b@1 c@2
    describe {"truncateBefore":2} at any -> 4
    read -> c@2
    append d at any in $$s -> 5
    read -> a@0 b@1 c@2`,
  "a stream's description has no description of its own": `
    append ab at none -> 1
    describe {"maxCount":1} at none -> 0
    describe {"maxCount":2} at 0 -> 1
    describe {"maxCount":2} at any in $$s -> 0
    read in $$s -> $metadata@1
    delete at any in $$s -> done
    read in $$s -> $metadata@1
    read -> a@0 b@1`,
  "a description that is closed for good describes nothing": `
    append ab at none -> 1
    describe {"maxCount":1} at none -> 0
    read -> b@1
    tombstone at any in $$s -> done
    describe {"maxCount":1} at any -> stream-deleted
    read -> a@0 b@1`,
  "what is cut off at the front": `
    append abcdef at none -> 5
    describe {"truncateBefore":4} at none -> 0
    read -> e@4 f@5
    read from 2 max 1 -> e@4
    read backwards from 4 -> e@4
    read backwards from 3 -> nothing
    describe {"truncateBefore":1,"maxCount":3} at 0 -> 1
    read -> d@3 e@4 f@5
    append a at none -> 0, no position
    read -> d@3 e@4 f@5`,
  "descriptions are a stream of their own": `
    describe {"maxCount":2} at none -> 0
    describe {"maxCount":3} at 0 -> 1
    describe {"maxCount":4} at 7 -> wrong version: expected 7, is 1
    description -> {"maxCount":3}
    read in $$s -> $metadata@1`,
  "$all keeps what the stream no longer shows": `
    append ab at none -> 1
    delete at any -> done
    append c at any -> 2
    tombstone at any -> done
    read-all -> a@0 b@1 $metadata@0 c@2 $metadata@1 $streamDeleted@9223372036854775807`,
};
