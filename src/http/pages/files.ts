import { Rejection } from "../../domain/rejection.js";
import { ObjectMissing } from "../../portErrors.js";
import type { ApiDeps, LinkedFile } from "../deps.js";
import { inTime, readPatienceMs } from "../inTime.js";
import { fileStream } from "./fileStream.js";
import type { Page } from "./list.js";

const prefix = "/files/";

/** Signed links of the embedded object store. The signature is the permission, so no key is asked for. */
export function filePages({ openLink, pool }: ApiDeps): readonly Page[] {
  if (openLink === undefined) return [];
  const find = async (link: Parameters<typeof openLink>[0]) => {
    // Expiry was set by the database's clock and is judged by it.
    const { rows } = await pool.query<{ now: Date }>("select now() as now");
    return openLink(link, rows[0]?.now ?? new Date()).catch(missing);
  };
  return [
    {
      path: `${prefix}*`,
      handler: async (c) => {
        const { expires = "", name = "", signature = "" } = c.req.query();
        const link = { key: c.req.path.slice(prefix.length), expires, name, signature };
        const file = await inTime(find(link), readPatienceMs, "file link");
        if (file === undefined)
          throw new Rejection("forbidden", "The link has expired or was changed. Read the import again for a fresh one");
        const headers = {
          "content-type": file.contentType,
          "content-length": String(file.size),
          "content-disposition": contentDisposition(file),
        };
        if (c.req.method === "HEAD") return c.body(null, 200, headers);
        return c.body(fileStream(file.path), 200, headers);
      },
    },
  ];
}

function missing(error: unknown): never {
  throw error instanceof ObjectMissing ? new Rejection("notFound", "The file is no longer there") : error;
}

function contentDisposition({ downloadName }: LinkedFile): string {
  const plain = downloadName.replaceAll(/[^\w .()-]/g, "_");
  const encoded = encodeURIComponent(downloadName.toWellFormed()).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
