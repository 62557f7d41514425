// An S3 server that verifies signatures and their expiry, as a process of its own, for tests that freeze it: `s3Process.mjs FOLDER`.
import { createServer } from "node:http";
import process from "node:process";
import S3rver from "@20minutes/s3rver";

const serve = new S3rver({ directory: process.argv[2], silent: true }).callback();
const server = createServer((request, response) => {
  // The one question of the minio client that this server does not know: which uploads were left unfinished? None.
  if (request.method === "GET" && /[?&]uploads(=|&|$)/.test(request.url ?? "")) {
    response
      .setHeader("content-type", "application/xml")
      .end("<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>");
  } else serve(request, response);
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("disconnect", () => process.exit());
