/** All cases in `npm run verify`, otherwise every n-th: for many similar cases that each need a process of their own. */
export const someOf = <Case>(cases: readonly Case[], n: number): Case[] =>
  cases.filter((_, index) => process.env["VERIFY"] === "on" || index % n === 0);
