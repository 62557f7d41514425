// Reads files in a process with a small heap, which dies when it would keep more. Sends the outcome in the form of an expectation, and by
// how much the process's memory has grown at most.
import process from "node:process";
import { readFileRows, readHeader } from "../../dist/adapters/spreadsheets/uploadedFile.js";

const before = process.memoryUsage.rss();
let peak = before;
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 50).unref();

async function outcomeOf(path, fileName) {
  let rows = 0;
  let faulty = 0;
  try {
    const { format } = await readHeader(path, fileName);
    for await (const batch of readFileRows(path, { format })) {
      rows += batch.rows.length;
      for (const { cells, fault } of batch.rows) if (fault !== null || cells.some((cell) => typeof cell !== "string")) faulty += 1;
    }
  } catch (error) {
    if (error?.name !== "FileFault") throw error;
    return { fault: error.message };
  }
  return { rows, faulty };
}

process.on("message", async ({ path, fileName }) => {
  peak = process.memoryUsage.rss();
  try {
    const outcome = await outcomeOf(path, fileName);
    process.send({ outcome, grownBytes: Math.max(peak, process.memoryUsage.rss()) - before });
  } catch (error) {
    process.send({ accident: String(error?.stack ?? error) });
  }
});
