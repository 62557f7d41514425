// Writes the protocol's ReadReq for one stream: a fetch asks for one event, and the client's own messages cost more than it does.
import type { Revision } from "../../ports.js";
import { field, messageOf } from "./wire.js";

export interface Stretch {
  readonly backwards: boolean;
  readonly max: number;
}

const empty = Buffer.alloc(0);
const option = { stream: 1, direction: 3, count: 5, noFilter: 8, ids: 9 } as const;
const place = { identifier: 1, revision: 2, start: 3, end: 4 } as const;
/** No filter; ids as text. */
const always = messageOf(field(option.noFilter, empty), field(option.ids, field(2, empty)));

export function readStreamRequest(stream: string, from: Revision | undefined, { backwards, max }: Stretch): Buffer {
  const edge = backwards ? place.end : place.start;
  const start = from === undefined ? field(edge, empty) : field(place.revision, from);
  const which = messageOf(field(place.identifier, field(3, Buffer.from(stream))), start);
  const direction = field(option.direction, backwards ? 1n : 0n);
  return field(1, messageOf(field(option.stream, which), direction, field(option.count, BigInt(max)), always));
}
