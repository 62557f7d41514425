import type { Block } from "./blocks.js";

/** Blocks that are durable in the journal, and not yet in LMDB; in the order of the log. */
export function createPendingBlocks() {
  let blocks: Block[] = [];
  const byPosition = new Map<number, Block>();
  const byStream = new Map<string, Block[]>();

  return {
    add(more: readonly Block[]): void {
      for (const block of more) {
        blocks.push(block);
        byPosition.set(block.position, block);
        const own = byStream.get(block.stream);
        if (own) own.push(block);
        else byStream.set(block.stream, [block]);
      }
    },
    clear(): void {
      blocks = [];
      byPosition.clear();
      byStream.clear();
    },
    all: (): readonly Block[] => blocks,
    at: (position: number): Block | undefined => byPosition.get(position),
    ofStream: (stream: string): readonly Block[] => byStream.get(stream) ?? [],
    /** Where they begin; LMDB may have them already, just before they are cleared, and is not asked about what lies from here on. */
    start: (): number => blocks[0]?.position ?? Number.POSITIVE_INFINITY,
  };
}
