const moving = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text from outside as one line of a terminal: line breaks, control characters and direction marks are written as escapes. */
export function visible(text: string): string {
  return text.replaceAll(moving, (character) => short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
