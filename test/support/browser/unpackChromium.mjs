// Unpacks the Chromium of @sparticuz/chromium into the temp folder of this process; the caller gives it one of its own.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import chromium, { inflate } from "@sparticuz/chromium";

await chromium.executablePath();
// The libraries it links beyond libc, for machines that have none.
await inflate(join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..", "bin", "al2023.tar.br"));
