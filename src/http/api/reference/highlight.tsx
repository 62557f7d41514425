// Colours for code, made on the server: the page's policy allows no script from elsewhere, and none is needed.
import type { Child } from "hono/jsx";

/** A text within quotes on one line, a number, or a word of the language. */
const token =
  /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\b(\d+(?:\.\d+)?)\b|\b(?:await|const|import|from|new|using|var|true|false|null|None|True|False|with|as|print|curl)\b/g;

/** The same text, with its parts in spans. */
export function highlighted(text: string): Child[] {
  const parts: Child[] = [];
  let end = 0;
  for (const { 0: all, 1: quoted, 2: number, index } of text.matchAll(token)) {
    if (index > end) parts.push(text.slice(end, index));
    end = index + all.length;
    const isKey = quoted !== undefined && /^\s*:/.test(text.slice(end, end + 2));
    parts.push(
      <span class={isKey ? "code-key" : quoted !== undefined ? "code-text" : number !== undefined ? "code-number" : "code-word"}>
        {all}
      </span>,
    );
  }
  parts.push(text.slice(end));
  return parts;
}
