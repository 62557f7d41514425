import { SaxesParser } from "saxes";
import { FileFault } from "../cell.js";
import { MAX_ROW_CHARS, MAX_XML_DEPTH, MAX_XML_RUN_CHARS } from "../limits.js";
import { damagedFault } from "./archive.js";

export type Attributes = Readonly<Record<string, string>>;

export type XmlHandlers = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text?(text: string): void;
};

export type XmlParser = { write(text: string): void; end(): void };

export const cellTooLarge = () => new FileFault("A cell of the workbook is far too large. Shorten it and upload the workbook again.");

/**
 * Parses XML piece by piece, with the limits that `saxes` leaves to its callers. Refuses document type definitions, and so entities that a
 * file defines. Handlers get element names without their prefix, which each program may choose.
 */
export function createXmlParser(handlers: XmlHandlers): XmlParser {
  const parser = new SaxesParser({ xmlns: false as const, defaultXMLVersion: "1.0", forceXMLVersion: true });
  let depth = 0;
  let written = 0;
  let lastTagEnd = 0;
  parser.on("opentag", ({ name, attributes }) => {
    lastTagEnd = parser.position;
    depth += 1;
    if (depth > MAX_XML_DEPTH) throw damagedFault("its markup is nested too deeply");
    handlers.open(withoutPrefix(name), attributes);
  });
  parser.on("closetag", ({ name }) => {
    lastTagEnd = parser.position;
    depth -= 1;
    handlers.close(withoutPrefix(name));
  });
  if (handlers.text) {
    const { text } = handlers;
    const handleText = (piece: string) => {
      if (depth > 0) text(piece); // blanks around the root are not content
    };
    parser.on("text", handleText);
    parser.on("cdata", handleText);
  }
  parser.on("doctype", () => {
    throw new FileFault(
      "The workbook holds a document type definition, which no spreadsheet program writes. Save it again and upload that.",
    );
  });
  parser.on("error", () => {
    throw damagedFault("its markup is not well formed");
  });
  return {
    write(piece) {
      parser.write(piece);
      written += piece.length;
      if (written - lastTagEnd > MAX_XML_RUN_CHARS) throw cellTooLarge();
    },
    end() {
      parser.close();
    },
  };
}

function withoutPrefix(name: string): string {
  const colon = name.indexOf(":");
  return colon === -1 ? name : name.slice(colon + 1);
}

/** The value of an attribute of this name with any prefix or none: `id` finds `r:id`, `rel:id` and `id`. */
export function attributeOf(attributes: Attributes, local: string): string | undefined {
  const prefixed = Object.keys(attributes).find((name) => withoutPrefix(name) === local);
  return attributes[local] ?? (prefixed === undefined ? undefined : attributes[prefixed]);
}

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

/** `_x000D_` stands for a character that XML cannot hold, `_x005F_` for an underscore that only looks like the start of such a code. */
export function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))).toWellFormed();
}

/** Joins the text runs of a string item, without its phonetic readings. */
export function createTextCollector() {
  let collected = "";
  let inText = false;
  let inPhonetic = false;
  return {
    start(): void {
      collected = "";
      inText = false;
      inPhonetic = false;
    },
    open(name: string): void {
      if (name === "t") inText = !inPhonetic;
      else if (name === "rPh") inPhonetic = true;
    },
    close(name: string): void {
      if (name === "t") inText = false;
      else if (name === "rPh") inPhonetic = false;
    },
    text(text: string): void {
      if (!inText) return;
      collected += text;
      if (collected.length > MAX_ROW_CHARS) throw cellTooLarge();
    },
    result: (): string => unescapeText(collected),
  };
}
