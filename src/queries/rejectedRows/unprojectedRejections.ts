import { limits } from "../../domain/imports/limits.js";
import { decodeOn } from "../../events/codec.js";
import type { ImportKind } from "../../events/importEvents.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { UnprojectedRows } from "../imports/importStatus.js";
import type { RejectedRow } from "./rejectedRow.js";

interface RowRange {
  /** Only rows with a higher number. */
  readonly after: number;
  /** The revision to begin at, from the previous page's cursor. */
  readonly from: bigint;
  readonly range: UnprojectedRows;
  readonly count: number;
  /** The bytes left on the page. Undefined when the page is empty: then the first row is shown whatever its size. */
  readonly bytes: number | undefined;
}

interface StreamRows {
  readonly rows: readonly (RejectedRow & { readonly isLast: boolean; readonly revision: bigint })[];
  /** True when further rows did not fit into the page's bytes. */
  readonly cutOff: boolean;
}

/** Rejected rows of an ended import from its stream, in row order. */
export async function unprojectedRejections(
  { importId, kind }: { readonly importId: string; readonly kind: ImportKind },
  { after, from, range, count, bytes = Number.POSITIVE_INFINITY }: RowRange,
  eventStore: EventStore,
): Promise<StreamRows> {
  const rows: StreamRows["rows"][number][] = [];
  const first = from > range.after ? from : range.after + 1n;
  let left = bytes;
  if (first > range.upTo) return { rows, cutOff: false };
  for await (const stored of eventStore.read(streamOf.import(importId), { from: first, max: Number(range.upTo - first) + 1 })) {
    const event = decodeOn("import", stored);
    if (event?.type !== "RowRejected" || event.data.row <= after) continue;
    const { row, error, data } = event.data;
    const handle = (kind === "shipments" ? event.data.shipmentId : event.data.reference) ?? null;
    const size = Buffer.byteLength(JSON.stringify(data)) + Buffer.byteLength(error) + Buffer.byteLength(handle ?? "");
    if (size > left) return { rows: rows.map((each) => ({ ...each, isLast: false })), cutOff: true };
    left = Math.min(left, limits.rejectedPageBytes) - size;
    rows.push({ handle, error, data, row, isLast: true, revision: event.revision });
    if (rows.length === count) break;
  }
  return { rows, cutOff: false };
}
