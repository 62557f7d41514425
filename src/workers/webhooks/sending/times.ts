/** From its request to its outcome an attempt takes no longer: 15 s for an answer, 2 for its text, and some to write it down. */
export const attemptSeconds = 20;

/** Longer than an attempt can take, reading the event included: after that its process is taken for dead. */
export const claimSeconds = 30;
