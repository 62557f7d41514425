import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

const charactersAtOnce = 256 * 1024;

/** A file that is written in parts, so that only one part is in memory and other requests are served in between. */
export async function createHashedFile(path: string) {
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
  return {
    /** A returned promise is awaited before the next call. */
    add(text: string): Promise<void> | undefined {
      waiting += text;
      return waiting.length >= charactersAtOnce ? flush() : undefined;
    },
    async close(): Promise<{ size: number; sha256: string }> {
      try {
        await flush();
      } finally {
        await file.close();
      }
      return { size, sha256: hash.digest("hex") };
    },
  };
}

export async function writeParts(path: string, parts: Iterable<string>): Promise<{ size: number; sha256: string }> {
  const file = await createHashedFile(path);
  try {
    for (const part of parts) {
      const flushed = file.add(part);
      if (flushed !== undefined) await flushed;
    }
  } catch (error) {
    await file.close();
    throw error;
  }
  return file.close();
}
