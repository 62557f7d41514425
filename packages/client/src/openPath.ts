/** A file that is read from the disk while it is sent, and again from its start when it is sent again. */
export async function openPath(path: string): Promise<{ readonly file: Blob; readonly name: string }> {
  const [{ openAsBlob, promises }, { basename }] = await Promise.all([import("node:fs"), import("node:path")]);
  await promises.access(path); // its error names the path
  return { file: await openAsBlob(path), name: basename(path) };
}
