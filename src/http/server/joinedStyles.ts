import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const shared = fileURLToPath(new URL("../styles/", import.meta.url));

/** The style sheets of every page and those of a folder as one, in the order of their names. */
export const joinedStyles = (folder: string): string =>
  [shared, folder]
    .flatMap((each) =>
      readdirSync(each)
        .sort()
        .map((name) => readFileSync(join(each, name), "utf8")),
    )
    .join("\n");
