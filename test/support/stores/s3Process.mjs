// An S3 server that verifies signatures and their expiry, as a process of its own, for tests that freeze it: `s3Process.mjs FOLDER`.
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import process from "node:process";
import S3rver from "@20minutes/s3rver";

const folder = process.argv[2];
const s3 = new S3rver({ directory: folder, silent: true });
// S3rver cannot list open multipart uploads or abort one. This adds both when it answers with that error, after it has verified the signature.
s3.middleware.unshift(async (context, next) => {
  try {
    await next();
  } catch (error) {
    const [bucket, ...key] = context.path.slice(1).split("/").map(decodeURIComponent);
    const open = join(folder, bucket, "._S3rver_uploads");
    if (error.code === "NotImplemented" && "uploads" in context.query) {
      context.type = "application/xml";
      context.body = `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${await listed(open, context.query.prefix ?? "")}</ListMultipartUploadsResult>`;
    } else if (error.code === "MethodNotAllowed" && context.method === "DELETE" && key.length > 0 && "uploadId" in context.query) {
      const upload = join(open, context.query.uploadId);
      context.status = (await stat(upload).catch(() => undefined)) ? 204 : 404;
      await rm(upload, { recursive: true, force: true });
    } else throw error;
  }
});

async function listed(open, prefix) {
  const uploads = await Promise.all(
    (await readdir(open).catch(() => [])).map(async (id) => {
      const { mtime } = await stat(join(open, id));
      return { id, key: await readFile(join(open, id, "key"), "utf8"), initiated: mtime.toISOString() };
    }),
  );
  return uploads
    .filter(({ key }) => key.startsWith(prefix))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ id, key, initiated }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`)
    .join("");
}

const server = createServer(s3.callback());
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("disconnect", () => process.exit());
