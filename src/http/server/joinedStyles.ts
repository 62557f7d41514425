import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const sharedFolder = fileURLToPath(new URL("../styles/", import.meta.url));

/** The style sheets of all pages, followed by those in `folder`, as one text. Each folder's are in the order of their names. */
export const joinedStyles = (folder: string): string =>
  [sharedFolder, folder]
    .flatMap((each) =>
      readdirSync(each)
        .sort()
        .map((name) => readFileSync(join(each, name), "utf8")),
    )
    .join("\n");
