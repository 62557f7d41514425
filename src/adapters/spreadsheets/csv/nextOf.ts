export type NextOf = { restart(): void; from(text: string, position: number): number };

/** Remembers where a character comes next, so that no stretch of text is searched twice for it; the text's length when there is none. */
export function nextOf(char: string): NextOf {
  let at = -1;
  return {
    restart: () => {
      at = -1;
    },
    from: (text, position) => {
      if (at < position) {
        at = text.indexOf(char, position);
        if (at === -1) at = text.length;
      }
      return at;
    },
  };
}
