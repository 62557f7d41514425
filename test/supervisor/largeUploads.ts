// Sends files of the largest accepted size to a real API process, and reads the peak memory of that process from the kernel.
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { limits } from "../../src/domain/imports/limits.js";

interface Answer {
  readonly status: number;
  readonly importId: string;
}

/** `api` is the pid of the process that listens at `url`. */
export function largeUploads({ url, key, api }: { url: string; key: string; api: number }) {
  const path = "/v1/org/fulfilment";
  let sent = 0;
  const send = (bytes: number = limits.fileBytes): Promise<Answer> => {
    const boundary = `boundary${sent++}`;
    const headers = { "x-api-key": key, "content-type": `multipart/form-data; boundary=${boundary}` };
    return new Promise((answered, failed) => {
      const upload = request(`${url}${path}/activities/file`, { method: "POST", headers }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        answer.once("end", () => answered({ importId: "", ...JSON.parse(text), status: answer.statusCode ?? 0 }));
      });
      upload.once("error", failed);
      const write = async () => {
        for (const part of form(boundary, bytes)) if (!upload.write(part)) await new Promise((drained) => upload.once("drain", drained));
        upload.end();
      };
      write().catch(failed);
    });
  };
  return {
    send,
    peakMegabytes: async () => Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${api}/status`, "utf8"))?.[1]) / 1024,
    cancel: async (importId: string) => {
      await (await fetch(`${url}${path}/imports/${importId}/cancel`, { method: "POST", headers: { "x-api-key": key } })).text();
    },
  };
}

/** A form with one file of `bytes`, made while it is sent: a header row and activities. */
function* form(boundary: string, bytes: number): Generator<Buffer> {
  const header = Buffer.from("warehouseCode,chargeCode,quantity,activityTimestamp\n");
  yield Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="rows.csv"\r\n\r\n`);
  yield header;
  const rows = Buffer.alloc(1024 * 1024, "SYD1,PICK,2,2026-03-01T09:30:00Z\n");
  for (let left = bytes - header.length; left > 0; left -= rows.length) yield rows.subarray(0, left);
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}
