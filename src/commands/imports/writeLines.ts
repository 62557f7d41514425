import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

const charactersAtOnce = 256 * 1024;

/** Writes in parts, so that only one part is in memory and other requests are served in between. */
export async function writeLines(path: string, lines: Iterable<string>): Promise<{ size: number; sha256: string }> {
  const hash = createHash("sha256");
  const file = await open(path, "w");
  let size = 0;
  let waiting = "";
  const flush = async () => {
    const bytes = Buffer.from(waiting, "utf8");
    waiting = "";
    size += bytes.length;
    hash.update(bytes);
    await file.writeFile(bytes); // appends: the file handle keeps its position
  };
  try {
    for (const line of lines) {
      waiting += line;
      if (waiting.length >= charactersAtOnce) await flush();
    }
    await flush();
  } finally {
    await file.close();
  }
  return { size, sha256: hash.digest("hex") };
}
