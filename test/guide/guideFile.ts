// The commands in docs/guide.md: each ```sh block is run, and the ```text block after it is its output.

export interface GuideBlock {
  readonly commands: string;
  readonly output: string;
}

interface Piece extends Partial<GuideBlock> {
  readonly prose: string;
}

const block = /```sh\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```\n)?/g;

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(block)) {
    pieces.push({ prose: text.slice(end, match.index), commands: match[1] ?? "", output: match[2] ?? "" });
    end = match.index + match[0].length;
  }
  return [...pieces, { prose: text.slice(end) }];
}

export const blocksOf = (text: string): GuideBlock[] =>
  piecesOf(text).flatMap(({ commands, output = "" }) => (commands === undefined ? [] : [{ commands, output }]));

/** Runs the guide's blocks one after the other and returns the guide with their outputs. */
export async function withOutputs(text: string, run: (commands: string) => Promise<string>): Promise<string> {
  let made = "";
  for (const { prose, commands } of piecesOf(text)) {
    made += prose;
    if (commands === undefined) continue;
    const output = (await run(commands)).trimEnd();
    made += `\`\`\`sh\n${commands}\`\`\`\n${output === "" ? "" : `\n\`\`\`text\n${output}\n\`\`\`\n`}`;
  }
  return made;
}
