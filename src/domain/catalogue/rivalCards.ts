import { type ReadableCard, shownId } from "./readable.js";

/** Finds the cards of one customer that overlap; each fault begins with its path. */
export type FindOverlaps = (rateCardIds: readonly string[], path: string) => string[];

/**
 * A customer has one price for each service, lane and day, so its cards must not overlap. Spot rates may stand beside a card and are not
 * checked. The cards are compared once, since thousands of customers share them.
 */
export function compareCards(cards: readonly ReadableCard[]): FindOverlaps {
  const placeOf = new Map(cards.map(({ id }, place) => [id, place]));
  const rivals = rivalsOf(cards);
  return (ids, path) => {
    let seen = nobody;
    return ids.flatMap((id, index) => {
      const place = placeOf.get(id);
      const card = place === undefined ? undefined : cards[place];
      if (place === undefined || !card || card.spot || (seen & setOf(place)) !== nobody) return [];
      const [rival] = placesIn(seen & (rivals.get(place) ?? nobody));
      seen |= setOf(place);
      if (rival === undefined) return [];
      return [
        `${path}.${index} ${shownId(id)} overlaps the validity of ${shownId(cards[rival]?.id ?? "")} for service ${shownId(card.serviceId)}`,
      ];
    });
  };
}

/** A set of cards, one bit for each by its place in the file, so that thousands of customers and lanes cost little. */
type CardSet = bigint;

const nobody: CardSet = 0n;
const setOf = (place: number): CardSet => 1n << BigInt(place);
const placesIn = (set: CardSet): number[] =>
  set === nobody ? [] : [...set.toString(2)].reverse().flatMap((bit, place) => (bit === "1" ? place : []));

/** Cards that would both price a consignment: they have a lane in common, and a day. Most have no rival, and cost a customer that has them nothing. */
function rivalsOf(cards: readonly ReadableCard[]): ReadonlyMap<number, CardSet> {
  const sharing = new Map<number, CardSet>();
  for (const places of cardsByLane(cards)) {
    if (places.length < 2) continue;
    const all = places.reduce((set, place) => set | setOf(place), nobody);
    for (const place of places) sharing.set(place, (sharing.get(place) ?? nobody) | all);
  }
  const rivals = new Map<number, CardSet>();
  for (const [place, others] of sharing) {
    const rival = placesIn(others).filter(
      (other) => other !== place && overlap(cards[place] as ReadableCard, cards[other] as ReadableCard),
    );
    if (rival.length > 0)
      rivals.set(
        place,
        rival.reduce((set, other) => set | setOf(other), nobody),
      );
  }
  return rivals;
}

/** The places of the cards that have a lane in common. Cards that differ in their break method may be held side by side, to compare them. */
function cardsByLane(cards: readonly ReadableCard[]): Iterable<readonly number[]> {
  const byLane = new Map<string, number[]>();
  cards.forEach(({ serviceId, zoneMapId, breakMethod, lanes }, place) => {
    const kind = `${serviceId}\n${zoneMapId}\n${breakMethod}\n`;
    for (const lane of lanes) {
      const key = kind + laneKey(lane);
      const places = byLane.get(key);
      if (!places) byLane.set(key, [place]);
      else if (places.at(-1) !== place) places.push(place);
    }
  });
  return byLane.values();
}

const overlap = (a: ReadableCard, b: ReadableCard): boolean =>
  !((a.validTo !== null && a.validTo < b.validFrom) || (b.validTo !== null && b.validTo < a.validFrom));

export function laneKey(lane: { from: string; to: string }): string {
  return `${lane.from}\n${lane.to}`; // zone names have no line breaks
}
