import type { Questions } from "./conformance.js";

export const DELETES: Questions = {
  "a deleted stream is not found; its metadata has truncateBefore": `
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
  "a tombstoned stream cannot be used again": `
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
  "an append at exists to a deleted stream": `
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
  "a missing stream cannot be deleted, but can be tombstoned": `
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
  "a description with values that are not valid limits hides nothing": `
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
  "a tombstoned description has no effect": `
    append ab at none -> 1
    describe {"maxCount":1} at none -> 0
    read -> b@1
    tombstone at any in $$s -> done
    describe {"maxCount":1} at any -> stream-deleted
    read -> a@0 b@1`,
  "a stream truncated at its front": `
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
  "the descriptions of a stream are a stream with revisions of its own": `
    describe {"maxCount":2} at none -> 0
    describe {"maxCount":3} at 0 -> 1
    describe {"maxCount":4} at 7 -> wrong version: expected 7, is 1
    description -> {"maxCount":3}
    read in $$s -> $metadata@1`,
  "$all still has events that the stream no longer shows": `
    append ab at none -> 1
    delete at any -> done
    append c at any -> 2
    tombstone at any -> done
    read-all -> a@0 b@1 $metadata@0 c@2 $metadata@1 $streamDeleted@9223372036854775807`,
};
