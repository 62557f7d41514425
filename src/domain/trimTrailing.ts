/** Removes these characters from the end of a text. A regular expression such as `/0+$/` would try again at each of them. */
export function trimTrailing(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
