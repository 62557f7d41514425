// Reads header rows and first values in threads, so that the process can serve other requests: even a small workbook can take a second.
// Organisations are served in rotation, so that the uploads of one organisation do not hold up those of others.
import type { FileHeader, HeaderReader } from "../../../ports/spreadsheets.js";
import { createSlots } from "../../../slots.js";
import { createThreads, ThreadTooSlow } from "../../threads.js";
import { FileFault } from "../cell.js";
import type { HeaderReply, HeaderRequest } from "./headerThread.js";

const threadProgram = new URL("../../../../dist/adapters/spreadsheets/threads/headerThread.js", import.meta.url);
/** Far more than a header needs: `MAX_HEADER_INFLATED_BYTES` limits how much is unpacked for it. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/** `waitMs`: how long to wait for a free thread. `runMs`: how long a thread may take for one file. */
export function createHeaderThreads({ threads = 2, waitMs = 20_000, runMs = 10_000 } = {}): HeaderReader & { close(): Promise<void> } {
  const slots = createSlots({
    maxHeld: threads,
    maxPerOwner: Math.max(1, threads - 1), // one is always left for other organisations
    queue: { maxPerOwner: Number.POSITIVE_INFINITY, maxWaitMs: waitMs },
    refusal: `no thread was free to read a header row for ${waitMs / 1000} s`,
  });
  const { ask, close } = createThreads<HeaderRequest, HeaderReply>({ program: threadProgram, runMs, resourceLimits });

  async function read(
    organisationId: string,
    { path, name }: { readonly path: string; readonly name: string },
    what: HeaderRequest["what"],
  ) {
    const reply = await slots
      .withSlot(organisationId, () => ask({ path, name, what }))
      .catch((error: NodeJS.ErrnoException): HeaderReply => {
        if (error.code === "ERR_WORKER_OUT_OF_MEMORY") return { fault: tooMuchText };
        if (error instanceof ThreadTooSlow) return { fault: tooSlow(runMs) };
        throw error;
      });
    if ("fault" in reply) throw new FileFault(reply.fault);
    if ("failure" in reply) throw reply.failure;
    return reply.answer;
  }

  return {
    readHeader: async (organisationId, file) => (await read(organisationId, file, "header")) as FileHeader,
    readValues: async (organisationId, file) => (await read(organisationId, file, "values")) as string[][],
    close,
  };
}

const tooMuchText = "The workbook holds too much text to be read. Save it as .csv and upload that.";

const tooSlow = (ms: number) =>
  `The header row could not be read within ${ms / 1000} seconds. Upload the file again; if it is a workbook, save it as .csv first.`;
