import { FileFault } from "../cell.js";
import { MAX_ROW_CHARS } from "../limits.js";

/** `_x000D_` stands for a character that XML cannot carry, `_x005F_` for the underscore that starts such a text. */
export function unescapeText(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))).toWellFormed();
}

/** Gathers the text runs of a string item; phonetic readings are not part of it. */
export function createTextCollector() {
  let collected = "";
  let inText = false;
  let phonetic = false;
  return {
    start(): void {
      collected = "";
      inText = false;
      phonetic = false;
    },
    open(name: string): void {
      if (name === "t") inText = !phonetic;
      else if (name === "rPh") phonetic = true;
    },
    close(name: string): void {
      if (name === "t") inText = false;
      else if (name === "rPh") phonetic = false;
    },
    text(text: string): void {
      if (!inText) return;
      collected += text;
      if (collected.length > MAX_ROW_CHARS)
        throw new FileFault("A cell of the workbook is far too large. Shorten it and upload the workbook again.");
    },
    take: (): string => unescapeText(collected),
  };
}
