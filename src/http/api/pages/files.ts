import { createReadStream } from "node:fs";
import { askForReport } from "../../../commands/imports/storedObjects.js";
import { Rejection } from "../../../domain/rejection.js";
import { ObjectMissing } from "../../../portErrors.js";
import type { Link } from "../../../ports/objectStore.js";
import { lookUntilFound } from "../../../timeLimit.js";
import { answerInTime, readPatienceMs } from "../../server/answerInTime.js";
import { Problem } from "../../server/problem.js";
import type { ApiDeps } from "../deps.js";
import { importOfReport } from "../missingReports.js";
import type { OpenPage } from "../route.js";

const prefix = "/files/";

const waitMs = 3_500;
const lookMs = 100;
const mostWaiting = 20;

/** Serves signed links of the embedded object store. The signature is the permission, so no API key is needed. */
export function filePages({ objectStore: { openLink }, pool }: ApiDeps): readonly OpenPage[] {
  if (openLink === undefined) return [];
  let waiting = 0;
  /** A missing report is made again within seconds. The answer asks the caller to come back then. */
  const remadeReport = async (link: Link, now: Date) => {
    const importId = importOfReport(link.key);
    if (importId === undefined || !(await askForReport(pool, importId))) throw new Rejection("notFound", "The file is no longer there");
    waiting += 1;
    try {
      const look = async () => {
        const file = await openLink(link, now).catch(unlessMissing);
        return file === "missing" ? undefined : { file };
      };
      const made = waiting <= mostWaiting ? await lookUntilFound(waitMs, look, lookMs) : undefined;
      if (made) return made.file;
    } finally {
      waiting -= 1;
    }
    throw new Problem("unavailable", "The report is being made again, try again shortly");
  };
  const find = async (link: Link) => {
    // The expiry was set by the database's clock, so it is compared with that clock.
    const { rows } = await pool.query<{ now: Date }>("select now() as now");
    const now = rows[0]?.now ?? new Date();
    const file = await openLink(link, now).catch(unlessMissing);
    return file === "missing" ? remadeReport(link, now) : file;
  };
  return [
    {
      path: `${prefix}*`,
      handler: async (c) => {
        const { expires = "", name = "", signature = "" } = c.req.query();
        const link = { key: c.req.path.slice(prefix.length), expires, name, signature };
        const file = await answerInTime(find(link), readPatienceMs, "file link");
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

function unlessMissing(error: unknown): "missing" {
  if (error instanceof ObjectMissing) return "missing";
  throw error;
}

/** Opens the file at the first read, not before: if the caller has disconnected, the adapter neither reads nor cancels the stream. */
export const fileStream = (path: string): ReadableStream<Uint8Array> => ReadableStream.from(piecesOf(path));

async function* piecesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}
