// Unpacks the Chromium of @sparticuz/chromium into this process's temporary folder (TMPDIR), which the caller sets.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import chromium, { inflate } from "@sparticuz/chromium";

await chromium.executablePath();
// The libraries that Chromium needs beyond libc, for machines without them.
await inflate(join(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..", "bin", "al2023.tar.br"));
