import type { Attributes } from "./attributes.js";
import { createXmlParser } from "./xml.js";

/** For parts small enough to be held whole. `path` has the names of the elements around the one that opens. */
export function parseXml(text: string, open: (name: string, attributes: Attributes, path: readonly string[]) => void): void {
  const path: string[] = [];
  const parser = createXmlParser({
    open(name, attributes) {
      open(name, attributes, path);
      path.push(name);
    },
    close() {
      path.pop();
    },
  });
  parser.write(text);
  parser.end();
}
