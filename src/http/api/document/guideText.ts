// docs/guide.md, of which a build has a copy beside the reference's files.
import { existsSync, readFileSync } from "node:fs";

const copied = new URL("../reference/guide.md", import.meta.url);

export const guideText = (): string =>
  readFileSync(existsSync(copied) ? copied : new URL("../../../../docs/guide.md", import.meta.url), "utf8");

/** Passages that the reference has too, between `<!-- reference: NAME -->` and `<!-- end -->`, each in one line. */
export function guidePassages(): (name: string) => string {
  const text = guideText();
  return (name) => {
    const passage = new RegExp(`<!-- reference: ${name} -->\\n([\\s\\S]*?)\\n<!-- end -->`).exec(text)?.[1];
    if (passage === undefined) throw new Error(`docs/guide.md has no passage "${name}"`);
    return passage.replaceAll("\n", " ");
  };
}
