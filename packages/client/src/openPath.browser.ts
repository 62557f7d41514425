/** Takes the place of openPath.ts in a bundle for browsers. */
export async function openPath(_path: string): Promise<{ readonly file: Blob; readonly name: string }> {
  throw new TypeError("A browser cannot open a path: give a File or a Blob");
}
