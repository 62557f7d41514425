import { encodeBlocks } from "../../../src/embedded/eventstore/blockEncoder.js";
import { type Block, endOf } from "../../../src/embedded/eventstore/blocks.js";

/** Blocks as a writer would make them, one after the other, without one. */
export function createLogOfBlocks(from = 1) {
  const heads = new Map<string, number>();
  let position = from;
  return {
    next(stream: string, count: number, bytes: number): Block[] {
      const revision = heads.get(stream) ?? 0;
      const event = {
        id: "9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c01",
        type: "t",
        properties: [],
        metadata: Buffer.alloc(0),
        data: Buffer.alloc(bytes, position % 251),
      };
      const blocks = encodeBlocks({ stream, revision, position, createdAt: 1, events: Array.from({ length: count }, () => event) });
      heads.set(stream, revision + count);
      position = endOf(blocks.at(-1) as Block);
      return blocks;
    },
  };
}
