import { SaxesParser } from "saxes";
import { FileFault } from "../fileFault.js";
import { MAX_XML_RUN_CHARS } from "../limits.js";
import { damaged } from "./archive.js";

export type Attributes = Record<string, string>;

export type XmlHandlers = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text?(text: string): void;
};

export type XmlParser = { write(text: string): void; end(): void };

/** Element names arrive without their prefix: which one a writer chose means nothing. */
export function createXmlParser(handlers: XmlHandlers): XmlParser {
  const parser = new SaxesParser({ position: false, xmlns: false as const });
  let sinceTag = 0;
  parser.on("opentag", (tag) => {
    sinceTag = 0;
    handlers.open(localName(tag.name), tag.attributes);
  });
  parser.on("closetag", (tag) => {
    sinceTag = 0;
    handlers.close(localName(tag.name));
  });
  if (handlers.text) {
    const text = handlers.text;
    parser.on("text", text);
    parser.on("cdata", text);
  }
  parser.on("doctype", () => {
    throw new FileFault(
      "The workbook holds a document type definition, which no spreadsheet program writes. Save it again and upload that.",
    );
  });
  parser.on("error", (error) => {
    throw damaged(error.message.slice(0, 100));
  });
  return {
    write(text) {
      sinceTag += text.length;
      parser.write(text);
      if (sinceTag > MAX_XML_RUN_CHARS)
        throw new FileFault("A cell of the workbook is far too large. Shorten it and upload the workbook again.");
    },
    end() {
      parser.close();
    },
  };
}

export function localName(name: string): string {
  const colon = name.indexOf(":");
  return colon === -1 ? name : name.slice(colon + 1);
}

/** An attribute whatever its prefix is: `r:id`, `rel:id` and `id` are the same to us. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  if (attributes[name] !== undefined) return attributes[name];
  for (const key in attributes) if (localName(key) === name) return attributes[key];
  return undefined;
}

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
