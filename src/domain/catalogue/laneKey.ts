/** Lanes of one card with the same key are the same lane. */
export function laneKey(lane: { readonly from: string; readonly to: string }): string {
  return `${lane.from}\n${lane.to}`; // zone names have no line breaks
}
