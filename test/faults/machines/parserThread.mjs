// Reads the files it is sent with the compiled parsers: under the test runner's transforms they would take much longer.
import { ftruncateSync, openSync, writeSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { readFileRows, readHeader } from "../../../dist/adapters/spreadsheets/uploadedFile.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");
const { path } = workerData;
const descriptor = openSync(path, "w+");

async function faultIn(content, withHeader) {
  // The file is overwritten in place: emptying and refilling it makes some file systems write it to the disk each time.
  ftruncateSync(descriptor, content.length);
  writeSync(descriptor, content, 0, content.length, 0);
  try {
    if (withHeader) await readHeader(path, "file");
    for await (const { rows } of readFileRows(path)) if (rows.length > 100) return `${rows.length} rows`;
  } catch (error) {
    return error.name === "FileFault" ? error.message : `thrown: ${error.stack}`;
  }
  return null;
}

parentPort.on("message", async ({ contents, weigh }) => {
  const faults = [];
  // Of every fourth file the header alone is read too: this is the same code, stopped earlier.
  for (const [index, content] of contents.entries()) faults.push(await faultIn(content, index % 4 === 0));
  if (weigh) collect();
  parentPort.postMessage({ faults, heap: weigh ? process.memoryUsage().heapUsed : null });
});
