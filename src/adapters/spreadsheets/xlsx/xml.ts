import { FileFault } from "../fileFault.js";
import { MAX_XML_DEPTH, MAX_XML_RUN_CHARS } from "../limits.js";
import { damaged } from "./archive.js";
import { type Attributes, createAttributeList } from "./attributes.js";
import { checkCharacters, decodeEntities } from "./entities.js";

export type XmlHandlers = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text?(text: string): void;
};

export type XmlParser = { write(text: string): void; end(): void };

const [TAB, LINE_FEED, RETURN, SPACE, QUOTE, APOSTROPHE, SLASH, COLON, LESS, EQUALS, GREATER, BANG, QUESTION] = [
  9, 10, 13, 32, 34, 39, 47, 58, 60, 61, 62, 33, 63,
];
const isSpace = (code: number) => code === SPACE || code === LINE_FEED || code === TAB || code === RETURN;

/**
 * Parses the XML that spreadsheet programs write, piece by piece: elements, attributes, text and CDATA. It refuses document types, and with
 * them entities that a file defines. Every piece of markup has a size limit, which general parsers leave to their callers
 * (docs/decisions/reading-workbooks.md). Element names come without their prefix, which each program may choose.
 */
export function createXmlParser(handlers: XmlHandlers): XmlParser {
  const path: string[] = [];
  const locals: string[] = [];
  const attributes = createAttributeList();
  let rest = "";
  let text = "";
  let position = 0;
  let sawRoot = false;
  let retryAt = 0;

  function write(piece: string): void {
    checkCharacters(piece);
    rest += piece;
    // Unfinished text is parsed again only when there is twice as much of it.
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

  /** Handles the markup that starts at this `<`, and the text before it. Returns where it ends, or -1 when that has not arrived yet. */
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
    attributes.clear();
    const close = code === GREATER ? at : readAttributes(at);
    if (close === -1) return -1;
    if (local === "" || (path.length === 0 && sawRoot)) throw damaged("its markup is not well formed");
    plainText(tag);
    sawRoot = true;
    handlers.open(local, attributes);
    if (text.charCodeAt(close - 1) === SLASH) handlers.close(local);
    else if (path.push(name) + locals.push(local) > 2 * MAX_XML_DEPTH) throw damaged("its markup is nested too deeply");
    return close + 1;
  }

  /** Returns where the tag's `>` is. */
  function readAttributes(start: number): number {
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
      const nameEnd = attributeName(at);
      let open = nameEnd;
      while (isSpace(text.charCodeAt(open))) open += 1;
      if (open >= text.length) return -1;
      if (open === at || text.charCodeAt(open) !== EQUALS) throw damaged("its markup is not well formed");
      open += 1;
      while (isSpace(text.charCodeAt(open))) open += 1;
      if (open >= text.length) return -1;
      const quote = text.charCodeAt(open);
      if (quote !== QUOTE && quote !== APOSTROPHE) throw damaged("its markup is not well formed");
      const close = text.indexOf(quote === QUOTE ? '"' : "'", open + 1);
      if (close === -1) return -1;
      const value = text.slice(open + 1, close);
      if (value.includes("<")) throw damaged("its markup is not well formed");
      attributes.add(text.slice(at, nameEnd), decodeEntities(value));
      at = close + 1;
    }
  }

  function attributeName(start: number): number {
    let at = start;
    for (let code = text.charCodeAt(at); at < text.length && code !== EQUALS && !isSpace(code); code = text.charCodeAt(++at)) {
      if (code === LESS || code === GREATER || code === SLASH || code === QUOTE || code === APOSTROPHE)
        throw damaged("its markup is not well formed");
    }
    return at;
  }

  function endTag(start: number, close: number): void {
    const name = path.pop();
    const local = locals.pop();
    if (name === undefined || local === undefined || !text.startsWith(name, start)) throw damaged("its markup is not well formed");
    if (close !== start + name.length && text.slice(start + name.length, close).trim() !== "")
      throw damaged("its markup is not well formed");
    handlers.close(local);
  }

  return { write, end };
}
