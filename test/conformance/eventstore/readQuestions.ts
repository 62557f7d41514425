import type { Questions } from "./conformance.js";

export const READS: Questions = {
  "a missing stream": `
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

  "the server answers unknown to reads forwards from the end, of no events, or past the largest revision": `
    append ab at none -> 1
    read from end -> unknown
    read max 0 -> unknown
    read backwards max 0 -> unknown
    read from end in missing -> unknown
    read max 0 in missing -> unknown
    read from 9223372036854775807 -> nothing
    read from 9223372036854785808 -> unknown
    read backwards from 18446744073709551615 -> b@1 a@0`,
  "a truncated stream is read from its new beginning, with as many events as asked for": `
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
