import { laneKey } from "./laneKey.js";
import { type ReadableCard, shownId } from "./readable.js";

/**
 * Two cards overlap if they have the same service, zone map and break method, and a lane and a day in common. A customer must not have
 * both, since a consignment would have two prices. Spot rates may stand beside a card and are not checked. This function compares the
 * cards and returns the check of one customer, since thousands of customers share the cards.
 */
export function createOverlapCheck(cards: readonly ReadableCard[]) {
  const indexes = new Map(cards.map(({ id }, index) => [id, index]));
  const overlaps = findOverlaps(cards);
  /** A fault for each of a customer's rate cards that overlaps an earlier one of them. Each fault begins with the card's path. */
  return (ids: readonly string[], path: string): string[] => {
    let seen = emptySet;
    return ids.flatMap((id, number) => {
      const index = indexes.get(id);
      const card = index === undefined ? undefined : cards[index];
      if (index === undefined || !card || card.spot || (seen & setOf(index)) !== emptySet) return [];
      const [earlier] = indexesIn(seen & (overlaps.get(index) ?? emptySet));
      seen |= setOf(index);
      if (earlier === undefined) return [];
      return [
        `${path}.${number} ${shownId(id)} overlaps the validity of ${shownId(cards[earlier]?.id ?? "")} for service ${shownId(card.serviceId)}`,
      ];
    });
  };
}

/** A set of cards, one bit for each by its index, so that thousands of customers and lanes cost little. */
type CardSet = bigint;

const emptySet: CardSet = 0n;
const setOf = (index: number): CardSet => 1n << BigInt(index);
const indexesIn = (set: CardSet): number[] =>
  set === emptySet ? [] : [...set.toString(2)].reverse().flatMap((bit, index) => (bit === "1" ? index : []));
const union = (indexes: readonly number[]): CardSet => indexes.reduce((set, index) => set | setOf(index), emptySet);

/** The overlapping cards of each card, by its index. Most cards overlap none and are left out. */
function findOverlaps(cards: readonly ReadableCard[]): ReadonlyMap<number, CardSet> {
  const cardsSharingLane = new Map<number, CardSet>();
  for (const indexes of cardsByLane(cards)) {
    if (indexes.length < 2) continue;
    const all = union(indexes);
    for (const index of indexes) cardsSharingLane.set(index, (cardsSharingLane.get(index) ?? emptySet) | all);
  }
  const overlaps = new Map<number, CardSet>();
  for (const [index, others] of cardsSharingLane) {
    const found = indexesIn(others).filter(
      (other) => other !== index && shareDay(cards[index] as ReadableCard, cards[other] as ReadableCard),
    );
    if (found.length > 0) overlaps.set(index, union(found));
  }
  return overlaps;
}

/** Groups the indexes of cards that share a lane. Cards with different break methods are not grouped: people compare them side by side. */
function cardsByLane(cards: readonly ReadableCard[]): Iterable<readonly number[]> {
  const byLane = new Map<string, number[]>();
  cards.forEach(({ serviceId, zoneMapId, breakMethod, lanes }, index) => {
    for (const lane of lanes) {
      const key = `${serviceId}\n${zoneMapId}\n${breakMethod}\n${laneKey(lane)}`;
      const indexes = byLane.get(key);
      if (!indexes) byLane.set(key, [index]);
      else if (indexes.at(-1) !== index) indexes.push(index);
    }
  });
  return byLane.values();
}

const shareDay = (a: ReadableCard, b: ReadableCard): boolean =>
  !((a.validTo !== null && a.validTo < b.validFrom) || (b.validTo !== null && b.validTo < a.validFrom));
