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
    const seen = new Uint32Array(rivals.words);
    return ids.flatMap((id, index) => {
      const place = placeOf.get(id);
      const card = place === undefined ? undefined : cards[place];
      if (place === undefined || !card || card.spot || has(seen, place)) return [];
      const rival = rivals.firstIn(seen, place);
      add(seen, place);
      if (rival === undefined) return [];
      return [
        `${path}.${index} ${shownId(id)} overlaps the validity of ${shownId(cards[rival]?.id ?? "")} for service ${shownId(card.serviceId)}`,
      ];
    });
  };
}

/** A set of cards by their places in the file, one bit each: 32 are compared at a time. */
type CardSet = Uint32Array;

const bitOf = (place: number): number => 1 << (place & 31);
const has = (set: CardSet, place: number): boolean => ((set[place >>> 5] ?? 0) & bitOf(place)) !== 0;
const add = (set: CardSet, place: number): void => {
  set[place >>> 5] = (set[place >>> 5] ?? 0) | bitOf(place);
};

/** Cards that would both price a consignment. Most have no rival, and cost a customer that has them nothing. */
function rivalsOf(cards: readonly ReadableCard[]) {
  const words = Math.ceil(cards.length / 32);
  const rivals = new Map<number, CardSet>();
  for (const places of cardsByLane(cards)) {
    if (places.length < 2) continue;
    const sharing = new Uint32Array(words);
    for (const place of places) add(sharing, place);
    for (const place of places) {
      const known = rivals.get(place) ?? new Uint32Array(words);
      rivals.set(place, known);
      for (let word = 0; word < words; word += 1) known[word] = (known[word] ?? 0) | (sharing[word] ?? 0);
    }
  }
  for (const [place, sharing] of rivals) if (!keepOverlapping(cards, place, sharing)) rivals.delete(place);
  return { words, firstIn: (set: CardSet, place: number) => firstOfBoth(set, rivals.get(place)) };
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

/** Leaves the other cards that are valid on one of the card's days. False if there are none. */
function keepOverlapping(cards: readonly ReadableCard[], place: number, sharing: CardSet): boolean {
  const card = cards[place] as ReadableCard;
  let isFound = false;
  sharing.forEach((bits, word) => {
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const other = (word << 5) + lowestOf(rest);
      if (other !== place && overlap(card, cards[other] as ReadableCard)) isFound = true;
      else sharing[word] = (sharing[word] ?? 0) & ~bitOf(other);
    }
  });
  return isFound;
}

const overlap = (a: ReadableCard, b: ReadableCard): boolean =>
  !((a.validTo !== null && a.validTo < b.validFrom) || (b.validTo !== null && b.validTo < a.validFrom));

function firstOfBoth(one: CardSet, other: CardSet | undefined): number | undefined {
  if (!other) return undefined;
  const word = other.findIndex((bits, index) => (bits & (one[index] ?? 0)) !== 0);
  return word < 0 ? undefined : (word << 5) + lowestOf((one[word] ?? 0) & (other[word] ?? 0));
}

const lowestOf = (bits: number): number => 31 - Math.clz32(bits & -bits);

export function laneKey(lane: { from: string; to: string }): string {
  return `${lane.from}\n${lane.to}`; // zone names have no line breaks
}
