/** All cases where `npm run verify` runs; else every n-th of them, for cases of one kind that each take a process of their own. */
export const someOf = <Case>(cases: readonly Case[], n: number): Case[] =>
  cases.filter((_, index) => process.env["VERIFY"] === "on" || index % n === 0);
