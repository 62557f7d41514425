import type { Questions } from "./conformance.js";

const SIX = `
  append a at none -> 0
  append b at 0 -> 1
  append c at 1 -> 2
  append d at 2 -> 3
  append e at 3 -> 4
  append f at 4 -> 5`;

const THREE_AND_THREE = `
  append abc at none -> 2
  append def at 2 -> 5`;

/** Retried appends, asked on both append paths. */
export const RETRIES: Questions = {
  "the first of six, again at none, is acknowledged": `${SIX}
    append a at none -> 0
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "the first of six, again at any, is acknowledged": `${SIX}
    append a at any -> 0
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "the first of six, again at the head, is appended: ids are not compared there": `${SIX}
    append a at 5 -> 6
    read -> a@0 b@1 c@2 d@3 e@4 f@5 a@6`,
  "the first of six, past the head, is a wrong version": `${SIX}
    append a at 6 -> wrong version: expected 6, is 5
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "the first of six, below the head where another stands, is a wrong version": `${SIX}
    append a at 4 -> wrong version: expected 4, is 5
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "the only event, again at the head, is appended": `
    append a at none -> 0
    append a at 0 -> 1
    read -> a@0 a@1`,
  "the only event, again at any, is acknowledged": `
    append a at none -> 0
    append a at any -> 0
    read -> a@0`,
  "the only event, again at none, is acknowledged": `
    append a at none -> 0
    append a at none -> 0
    read -> a@0`,
  "the second of three, at any twice, is acknowledged twice": `
    append a at none -> 0
    append b at 0 -> 1
    append c at 1 -> 2
    append b at any -> 1
    append b at any -> 1
    read -> a@0 b@1 c@2`,
  "the first of a pair, again at none, is acknowledged": `
    append ab at none -> 1
    append a at none -> 0
    read -> a@0 b@1`,
  "the first of a pair, again at any, is acknowledged": `
    append ab at none -> 1
    append a at any -> 0
    read -> a@0 b@1`,
  "the last of a pair, again at revision 0, is acknowledged": `
    append ab at none -> 1
    append b at 0 -> 1
    read -> a@0 b@1`,
  "the last of a pair, again at any, is acknowledged": `
    append ab at none -> 1
    append b at any -> 1
    read -> a@0 b@1`,
  "a pair and one more, at none, is a wrong version": `
    append ab at none -> 1
    append abc at none -> wrong version: expected none, is 1
    read -> a@0 b@1`,
  "a whole append, again at its revision, is acknowledged": `${THREE_AND_THREE}
    append def at 2 -> 5
    append g at 5 -> 6
    read -> a@0 b@1 c@2 d@3 e@4 f@5 g@6`,
  "a whole append, again after another append has landed, is acknowledged": `${THREE_AND_THREE}
    append ghi at 5 -> 8
    append def at 2 -> 5
    read -> a@0 b@1 c@2 d@3 e@4 f@5 g@6 h@7 i@8`,
  "an append again with more at its end is a wrong version": `${THREE_AND_THREE}
    append defgh at 2 -> wrong version: expected 2, is 5
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "an append again with less at its end has its own last revision": `${THREE_AND_THREE}
    append de at 2 -> 4
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "the last events of an append, again at their revision, are acknowledged": `${THREE_AND_THREE}
    append ef at 3 -> 5
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "other ids at an old revision are a wrong version": `${THREE_AND_THREE}
    append xyz at 2 -> wrong version: expected 2, is 5
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "the same ids but one, at an old revision, are a wrong version": `${THREE_AND_THREE}
    append dxf at 2 -> wrong version: expected 2, is 5
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "the same ids in another order are a wrong version": `
    append abc at none -> 2
    append cba at none -> wrong version: expected none, is 2
    read -> a@0 b@1 c@2`,

  // The answers from here on follow from the server's published code. They were not recorded from a real server.
  "the same events, again from any of their revisions on, are acknowledged": `${THREE_AND_THREE}
    append abcdef at none -> 5
    append bcdef at 0 -> 5
    append f at 4 -> 5
    append fg at 4 -> wrong version: expected 4, is 5
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "known ids followed by an unknown one, at any, are a wrong version": `
    append ab at none -> 1
    append abx at any -> wrong version: expected any, is 1
    append xab at any -> 4
    read -> a@0 b@1 x@2 a@3 b@4`,
  "an id that stands at two revisions counts as the first one at any": `
    append a at none -> 0
    append a at 0 -> 1
    append a at any -> 0
    append aa at any -> 0
    append a at none -> 0
    append aa at none -> 1
    read -> a@0 a@1`,
  "an id that stands in two streams is known in the first one only, at any": `
    append a at none in x -> 0
    append a at none in y -> 0
    append a at any in x -> 0
    append a at none in y -> 0
    append a at any in y -> 1
    append a at exists in y -> 2
    read in x -> a@0
    read in y -> a@0 a@1 a@2`,
  "ids of two earlier appends, at any, are acknowledged": `${THREE_AND_THREE}
    append cd at any -> 3
    append ad at any -> 3
    append ba at any -> 0
    append dx at any -> wrong version: expected any, is 5
    read -> a@0 b@1 c@2 d@3 e@4 f@5`,
  "a retry of events before truncateBefore is acknowledged again, but without a position": `
    append abc at none -> 2
    describe {"truncateBefore":2} at any -> 0
    append ab at none -> 1, no position
    append abc at none -> 2
    append b at any -> 1, no position
    append c at exists -> 2
    append x at none -> wrong version: expected none, is 2
    read -> c@2`,
  "a retry of events beyond maxCount is acknowledged again, but without a position": `
    append abc at none -> 2
    describe {"maxCount":1} at any -> 0
    append a at none -> 0, no position
    append c at 1 -> 2`,
  "a retry of events of a deleted stream is acknowledged again, but without a position, and the stream stays deleted": `
    append abc at none -> 2
    delete at any -> done
    append abc at none -> 2, no position
    append abc at any -> 2, no position
    append c at 1 -> 2, no position
    append abcd at none -> wrong version: expected none, is 2
    append c at exists -> stream-deleted
    read -> stream-not-found`,
  "a retry of an append from before the stream was deleted and begun again": `
    append abc at none -> 2
    delete at any -> done
    append d at any -> 3
    append abc at none -> 2, no position
    append a at any -> 0, no position
    append d at any -> 3
    append d at 2 -> 3
    append d at none -> wrong version: expected none, is 3
    read -> d@3`,
  "ids of another stream are not known": `
    append ab at none in x -> 1
    append ab at any in y -> 1
    append ab at none in y -> 1
    read in y -> a@0 b@1`,
};

/** Expected revisions, and sizes of appends. */
export const APPENDS: Questions = {
  "an append at revision 0 of a missing stream is a wrong version": `
    append a at 0 -> wrong version: expected 0, is none
    read -> stream-not-found`,
  "an append at exists to a missing stream is a wrong version": `
    append a at exists -> wrong version: expected exists, is none
    read -> stream-not-found`,
  "a retry at exists is acknowledged, as at any": `
    append a at none -> 0
    append b at exists -> 1
    append b at exists -> 1
    append c at exists -> 2
    read -> a@0 b@1 c@2`,
  "an append at none to a stream with events is a wrong version": `
    append a at none -> 0
    append b at none -> wrong version: expected none, is 0
    read -> a@0`,
  "an append at any lands, whether the stream has events or not": `
    append a at any -> 0
    append b at any -> 1
    read -> a@0 b@1`,
  "one id can be in two streams": `
    append a at none in x -> 0
    append a at none in y -> 0
    read in x -> a@0
    read in y -> a@0`,
  "one id can be in an append twice": `
    append aa at none -> 1
    append b at 1 -> 2
    read -> a@0 a@1 b@2`,
  "appends without events": `
    append - at any -> 0
    append - at none -> 0
    append a at none -> 0
    append - at 0 -> 0
    append - at none -> wrong version: expected none, is 0
    append - at 7 -> wrong version: expected 7, is 0
    read -> a@0`,
  "two events of 600 kB are too large together": `
    append ab at none size 600000 -> larger than 1048576
    append c at none -> 0
    read -> c@0`,
  "one event of 1.1 MB is too large": `
    append a at none size 1100000 -> larger than 1048576
    append b at none -> 0
    read -> b@0`,
  "one event of 1 MB is not too large": `
    append a at none size 1000000 -> 0
    read -> a@0`,

  "an append without events brings a deleted stream back as an empty one": `
    append abc at none -> 2
    delete at any -> done
    append - at none -> wrong version: expected none, is 2
    append - at exists -> stream-deleted
    read -> stream-not-found
    append - at any -> 2
    read -> nothing
    description -> {"truncateBefore":3}
    append d at 2 -> 3
    read -> d@3`,
  "a stream that has only a description exists": `
    describe {"maxCount":5} at none -> 0
    append a at exists -> 0
    read -> a@0`,
  "an append after a refused one lands at the stream's head": `
    append a at none size 1000 -> 0
    append bc at 0 size 600000 -> larger than 1048576
    append bc at 0 size 500000 -> 2
    read -> a@0 b@1 c@2`,
};
