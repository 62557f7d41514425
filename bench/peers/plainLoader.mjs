// What a user would write instead: parse, check, COPY. One statement, nothing kept of what happened.
import { finished } from "node:stream/promises";
import { asPeer, copyLine, eachPiece, freshTable, openCopy } from "./rows.mjs";

asPeer(async ({ databaseUrl, file }) => {
  const client = await freshTable(databaseUrl, file.kind);
  const line = copyLine(file.kind);
  return async () => {
    let rows = 0;
    const copy = openCopy(client, file.kind);
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
