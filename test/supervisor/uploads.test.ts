// Uploads of the largest size, several at once, against the real API process: what it holds in memory is the kernel's own count.
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { limits } from "../../src/domain/imports/limits.js";
import { createMachine, type Machine } from "../support/processes.js";

let machine: Machine;
let key: string;
let api: number;

beforeAll(async () => {
  machine = await createMachine();
  const product = await machine.start();
  key = /wb_live_\w+/.exec(product.stdout())?.[0] ?? "";
  api = [...(await machine.processes())].find(([, command]) => /cli\.js\s*api/.test(command.replaceAll("\0", " ")))?.[0] ?? 0;
});
afterAll(() => machine?.clear());

const peakMegabytes = async () => Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${api}/status`, "utf8"))?.[1]) / 1024;

/** A form with one file of `bytes`, made while it is sent: a header row and activities. */
function* form(boundary: string, bytes: number): Generator<Buffer> {
  const header = Buffer.from("warehouseCode,chargeCode,quantity,activityTimestamp\n");
  yield Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="rows.csv"\r\n\r\n`);
  yield header;
  const rows = Buffer.alloc(1024 * 1024, "SYD1,PICK,2,2026-03-01T09:30:00Z\n");
  for (let left = bytes - header.length; left > 0; left -= rows.length) yield rows.subarray(0, left);
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

function upload(index: number, bytes: number = limits.fileBytes): Promise<number> {
  const boundary = `boundary${index}`;
  const headers = { "x-api-key": key, "content-type": `multipart/form-data; boundary=${boundary}` };
  return new Promise((answered, failed) => {
    const sent = request(`${machine.url}/v1/org/fulfilment/activities/file`, { method: "POST", headers }, (answer) => {
      answer.resume();
      answered(answer.statusCode ?? 0);
    });
    sent.once("error", failed);
    const send = async () => {
      for (const part of form(boundary, bytes)) if (!sent.write(part)) await new Promise((drained) => sent.once("drain", drained));
      sent.end();
    };
    send().catch(failed);
  });
}

it.skipIf(process.platform !== "linux")(
  "eight files of 50 MB at once take the API less than a quarter of their size, and it goes on answering",
  async () => {
    expect([key, api]).not.toContain("");
    expect(await upload(8, 1024)).toBe(202); // starts the thread that reads headers, which is not part of what a file costs
    const before = await peakMegabytes();
    let sending = true;
    let answeredMeanwhile = 0;
    const asking = (async () => {
      while (sending) if ((await fetch(`${machine.url}/healthz`)).status === 200) answeredMeanwhile += 1;
    })();
    const statuses = await Promise.all(Array.from({ length: 8 }, (_, index) => upload(index)));
    sending = false;
    await asking;
    expect(statuses).toEqual(Array(8).fill(202));
    expect(answeredMeanwhile).toBeGreaterThan(5);
    expect((await peakMegabytes()) - before).toBeLessThan((8 * 50) / 4); // 35 to 50 where the machine is idle; more where collecting garbage falls behind
  },
);
