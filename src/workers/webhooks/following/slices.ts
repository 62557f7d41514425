/**
 * At most this many deliveries are added in one transaction, so that it stays far below the statement time-out and events of other
 * organisations are handled in between.
 */
export const rowsAtOnce = 5_000;

/** Cuts events, in their order, so that a slice adds no more than `most` deliveries; an event that alone adds more is a slice of its own. */
export function slicesOf<Told>(events: readonly Told[], rowsOf: (event: Told) => number, most = rowsAtOnce): Told[][] {
  const slices: Told[][] = [];
  let room = 0;
  for (const event of events) {
    const rows = rowsOf(event);
    const last = slices.at(-1);
    if (last && rows <= room) last.push(event);
    else slices.push([event]);
    room = (last && rows <= room ? room : most) - rows;
  }
  return slices;
}
