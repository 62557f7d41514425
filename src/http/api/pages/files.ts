import { createReadStream } from "node:fs";
import { askForReport } from "../../../commands/imports/storedObjects.js";
import { Rejection } from "../../../domain/rejection.js";
import { ObjectMissing } from "../../../portErrors.js";
import type { SignedLink } from "../../../ports/objectStore.js";
import { lookUntilFound } from "../../../timeLimit.js";
import { answerInTime, maxReadMs } from "../../server/answerInTime.js";
import { Problem } from "../../server/problem.js";
import type { ApiDeps } from "../deps.js";
import { importIdOfReport } from "../missingReports.js";
import type { PublicPage } from "../route.js";

const linkPrefix = "/files/";

/** How long a request waits for a missing report to be made again, how often it looks, and how many requests may wait at a time. */
const [maxWaitMs, checkEveryMs, maxWaiting] = [3_500, 100, 20];

/** Serves signed links of the embedded object store. The signature is the permission, so no API key is needed. */
export function filePages({ objectStore: { openLink }, pool }: ApiDeps): readonly PublicPage[] {
  if (openLink === undefined) return [];
  let waiting = 0;
  /** Asks a worker to make a missing report again, and waits some seconds for it. If it takes longer, throws a 503. */
  const waitForReport = async (link: SignedLink, now: Date) => {
    const importId = importIdOfReport(link.key);
    if (importId === undefined || !(await askForReport(pool, importId))) throw new Rejection("notFound", "The file is no longer there");
    waiting += 1;
    try {
      const reopen = async () => {
        const file = await openLink(link, now).catch(missingOrThrow);
        return file === "missing" ? undefined : { file };
      };
      const remade = waiting <= maxWaiting ? await lookUntilFound(maxWaitMs, reopen, checkEveryMs) : undefined;
      if (remade) return remade.file;
    } finally {
      waiting -= 1;
    }
    throw new Problem("unavailable", "The report is being made again, try again shortly");
  };
  const findFile = async (link: SignedLink) => {
    // The link's expiry was computed from the database's clock, so it is compared with that clock.
    const { rows } = await pool.query<{ now: Date }>("select now() as now");
    const now = rows[0]?.now ?? new Date();
    const file = await openLink(link, now).catch(missingOrThrow);
    return file === "missing" ? waitForReport(link, now) : file;
  };
  return [
    {
      path: `${linkPrefix}*`,
      handler: async (c) => {
        const { expires = "", name = "", signature = "" } = c.req.query();
        const link = { key: c.req.path.slice(linkPrefix.length), expires, name, signature };
        const file = await answerInTime(findFile(link), maxReadMs, "file link");
        if (file === undefined)
          throw new Rejection("forbidden", "The link has expired or was changed. Read the import again for a fresh one");
        const headers = {
          "content-type": file.contentType,
          "content-length": String(file.size),
          "content-disposition": file.contentDisposition,
        };
        if (c.req.method === "HEAD") return c.body(null, 200, headers);
        return c.body(fileStream(file.path), 200, headers);
      },
    },
  ];
}

function missingOrThrow(error: unknown): "missing" {
  if (error instanceof ObjectMissing) return "missing";
  throw error;
}

/** Opens the file only when the stream is first read: for a caller that has disconnected, the HTTP adapter neither reads nor cancels it. */
export const fileStream = (path: string): ReadableStream<Uint8Array> => ReadableStream.from(chunksOf(path));

async function* chunksOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}
