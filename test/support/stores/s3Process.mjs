// An S3 server that verifies signatures and their expiry, as a process of its own, for tests that freeze it: `s3Process.mjs FOLDER`.
import { createServer } from "node:http";
import process from "node:process";
import S3rver from "@20minutes/s3rver";

const folder = process.argv[2];
const s3 = new S3rver({ directory: folder, silent: true });
const server = createServer(s3.callback());
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("disconnect", () => process.exit());
