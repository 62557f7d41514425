// What a user would write instead: parse, check, COPY. One statement, nothing kept of what happened.
import { finished } from "node:stream/promises";
import { asPeer, copyLine, eachPiece, freshTable, openCopy } from "./rows.mjs";

asPeer(async ({ databaseUrl, kind }) => {
  const client = await freshTable(databaseUrl, kind);
  return async ({ run, file }) => {
    let rows = 0;
    const line = copyLine(kind, run);
    const copy = openCopy(client, kind);
    await eachPiece(file, async (good) => {
      let lines = "";
      for (const { row, values } of good) lines += line(row, values);
      rows += good.length;
      if (lines !== "" && !copy.write(lines)) await new Promise((resolve) => copy.once("drain", resolve));
    });
    copy.end();
    await finished(copy);
    return { rows };
  };
});
