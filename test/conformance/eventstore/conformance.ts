/** Cases by name; each is a few lines of `question -> answer`. */
export type Questions = Record<string, string>;

export function linesOf(text: string): { question: string; answer: string }[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const [question, answer] = line.split(" -> ");
      if (!question || !answer) throw new Error(`a line reads "question -> answer", not "${line}"`);
      return { question, answer };
    });
}
