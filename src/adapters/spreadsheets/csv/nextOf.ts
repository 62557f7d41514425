export type NextOf = { restart(): void; from(text: string, position: number): number };

/** Finds where a character comes next, and remembers it, so that no text is searched twice. Gives the text's length when there is none. */
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
