import { FileFault } from "../fileFault.js";
import { MAX_XML_DEPTH, MAX_XML_RUN_CHARS } from "../limits.js";
import { damaged } from "./archive.js";
import { checkCharacters, decodeEntities } from "./entities.js";

export type Attributes = Readonly<Record<string, string>>;

export type XmlHandlers = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text?(text: string): void;
};

export type XmlParser = { write(text: string): void; end(): void };

const NONE: Attributes = Object.freeze({});
const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, APOSTROPHE, SLASH, COLON, LESS, EQUALS, GREATER, BANG, QUESTION] = [
  9, 10, 13, 32, 34, 39, 47, 58, 60, 61, 62, 33, 63,
];
const isSpace = (code: number) => code === SPACE || code === LINE_FEED || code === TAB || code === RETURN;

/**
 * The XML that spreadsheet programs write, piece by piece: elements, attributes, text, CDATA; no document types, so no entities of their own.
 * Workbooks hold tens of millions of tags; a general parser spends several times as long on each.
 * Element names arrive without their prefix: which one a writer chose means nothing.
 */
export function createXmlParser(handlers: XmlHandlers): XmlParser {
  const path: string[] = [];
  let rest = "";
  let text = "";
  let position = 0;
  let sawRoot = false;
  let retryAt = 0;

  function write(piece: string): void {
    checkCharacters(piece);
    rest += piece;
    // what could not be finished is only tried again once there is twice as much of it
    if (rest.length >= retryAt || rest.length > MAX_XML_RUN_CHARS) consume();
    if (rest.length > MAX_XML_RUN_CHARS)
      throw new FileFault("A cell of the workbook is far too large. Shorten it and upload the workbook again.");
  }

  function consume(): void {
    text = rest;
    position = 0;
    while (token());
    rest = text.slice(position);
    retryAt = rest.length * 2;
  }

  function end(): void {
    consume();
    if (rest.trim() !== "" || path.length > 0 || !sawRoot) throw damaged("its markup stops half way");
  }

  /** Consumes the text up to the next tag and the tag; false when the piece ends before that. */
  function token(): boolean {
    const tag = text.indexOf("<", position);
    if (tag === -1 || tag + 1 >= text.length) return false;
    const after = markup(tag);
    if (after === -1) return false;
    position = after;
    return true;
  }

  /** Handles what starts at this `<` (and the text before it) and returns where it ends, or -1 when that is not here yet. */
  function markup(tag: number): number {
    const code = text.charCodeAt(tag + 1);
    if (code === BANG) return declaration(tag);
    if (code === QUESTION) return skipped(tag, 2, "?>");
    if (code !== SLASH) return startTag(tag);
    const close = text.indexOf(">", tag);
    if (close === -1) return -1;
    plainText(tag);
    endTag(tag + 2, close);
    return close + 1;
  }

  function plainText(until: number): void {
    if (until === position) return;
    const raw = text.slice(position, until);
    if (path.length === 0) {
      if (raw.trim() !== "") throw damaged("it has text outside its markup");
    } else handlers.text?.(decodeEntities(raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw));
  }

  function declaration(tag: number): number {
    if (text.startsWith("<!--", tag)) return skipped(tag, 4, "-->");
    if (text.startsWith("<![CDATA[", tag)) {
      const close = text.indexOf("]]>", tag);
      if (close === -1) return -1;
      if (path.length === 0) throw damaged("it has text outside its markup");
      plainText(tag);
      handlers.text?.(text.slice(tag + 9, close).replace(/\r\n?/g, "\n"));
      return close + 3;
    }
    if (text.length - tag < 9) return -1;
    if (!text.startsWith("<!DOCTYPE", tag)) throw damaged("its markup is not well formed");
    throw new FileFault(
      "The workbook holds a document type definition, which no spreadsheet program writes. Save it again and upload that.",
    );
  }

  function skipped(tag: number, start: number, ending: string): number {
    const close = text.indexOf(ending, tag + start);
    if (close === -1) return -1;
    plainText(tag);
    return close + ending.length;
  }

  function startTag(tag: number): number {
    let at = tag + 1;
    let nameStart = at;
    let code = text.charCodeAt(at);
    while (code !== GREATER && code !== SLASH && !isSpace(code)) {
      if (at >= text.length) return -1;
      if (code === COLON) nameStart = at + 1;
      if (code === LESS || code === EQUALS) throw damaged("its markup is not well formed");
      code = text.charCodeAt(++at);
    }
    const name = text.slice(tag + 1, at);
    const local = nameStart === tag + 1 ? name : text.slice(nameStart, at);
    const attributes = code === GREATER ? NONE : {};
    const close = code === GREATER ? at : readAttributes(at, attributes);
    if (close === -1) return -1;
    if (local === "" || (path.length === 0 && sawRoot)) throw damaged("its markup is not well formed");
    plainText(tag);
    sawRoot = true;
    handlers.open(local, attributes);
    if (text.charCodeAt(close - 1) === SLASH) handlers.close(local);
    else if (path.push(name) > MAX_XML_DEPTH) throw damaged("its markup is nested too deeply");
    return close + 1;
  }

  /** Returns where the tag's `>` is. */
  function readAttributes(start: number, into: Record<string, string>): number {
    let at = start;
    for (;;) {
      while (isSpace(text.charCodeAt(at))) at += 1;
      if (at >= text.length) return -1;
      if (text.charCodeAt(at) === GREATER) return at;
      if (text.charCodeAt(at) === SLASH) {
        if (at + 1 >= text.length) return -1;
        if (text.charCodeAt(at + 1) !== GREATER) throw damaged("its markup is not well formed");
        return at + 1;
      }
      const equals = text.indexOf("=", at);
      if (equals === -1) return -1;
      let open = equals + 1;
      while (isSpace(text.charCodeAt(open))) open += 1;
      if (open >= text.length) return -1;
      const quote = text.charCodeAt(open);
      if (quote !== QUOTE && quote !== APOSTROPHE) throw damaged("its markup is not well formed");
      const close = text.indexOf(quote === QUOTE ? '"' : "'", open + 1);
      if (close === -1) return -1;
      const name = text.slice(at, equals).trimEnd();
      const value = text.slice(open + 1, close);
      if (name === "" || /[\s<>"'/]/.test(name) || value.includes("<")) throw damaged("its markup is not well formed");
      into[name] = decodeEntities(value);
      at = close + 1;
    }
  }

  function endTag(start: number, close: number): void {
    const name = path.pop();
    if (name === undefined || text.slice(start, close).trimEnd() !== name) throw damaged("its markup is not well formed");
    handlers.close(localName(name));
  }

  return { write, end };
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1);
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
