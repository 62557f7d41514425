/** The longest that an attempt takes from its request to its outcome: 15 s for an answer, 2 s for its text, and some to write the outcome. */
export const attemptSeconds = 20;

/** Longer than an attempt can take, reading the event included. After this time the process that made the claim is taken for dead. */
export const claimSeconds = 30;
