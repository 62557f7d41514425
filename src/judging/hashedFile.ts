import { createHash } from "node:crypto";
import { open } from "node:fs/promises";

const maxBufferedCharacters = 256 * 1024;

/** Creates a file that is written and hashed part by part, so that only one part is in memory, and other requests are served in between. */
export async function createHashedFile(path: string) {
  const hash = createHash("sha256");
  const file = await open(path, "w");
  let size = 0;
  let buffered = "";
  const flush = async () => {
    const bytes = Buffer.from(buffered, "utf8");
    buffered = "";
    size += bytes.length;
    hash.update(bytes);
    await file.writeFile(bytes); // appends: the file handle keeps its position
  };
  return {
    /** Adds a text. If it returns a promise, the caller awaits the promise before the next call. */
    add(text: string): Promise<void> | undefined {
      buffered += text;
      return buffered.length >= maxBufferedCharacters ? flush() : undefined;
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

export async function writeHashedFile(path: string, parts: Iterable<string>): Promise<{ size: number; sha256: string }> {
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
