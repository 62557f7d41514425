import { laneKey } from "./cardChecks.js";
import type { ReadableCard, ReadableFile } from "./readable.js";
import { notAmong, quote } from "./references.js";

export function customerFaults(file: ReadableFile): string[] {
  const carriers = new Set(file.carriers.map((carrier) => carrier.id));
  const cards = new Map(file.rateCards.map((card) => [card.id, card]));
  const competes = remembered(areRivals);
  return file.customers.flatMap((customer, index) => [
    ...notAmong(`customers.${index}.carrierIds`, customer.carrierIds, carriers, "carrier"),
    ...notAmong(`customers.${index}.rateCardIds`, customer.rateCardIds, new Set(cards.keys()), "rate card"),
    ...validityFaults(customer.rateCardIds, cards, `customers.${index}.rateCardIds`, competes),
  ]);
}

type Competes = (a: ReadableCard, b: ReadableCard) => boolean;

/** A customer has one price for each service, lane and day, so its cards must not overlap. Spot rates may stand beside a card and are not checked. */
function validityFaults(ids: readonly string[], cards: Map<string, ReadableCard>, path: string, competes: Competes): string[] {
  const seen: { card: ReadableCard; at: string }[] = [];
  const faults: string[] = [];
  ids.forEach((id, index) => {
    const card = cards.get(id);
    if (!card || card.spot || seen.some((other) => other.card === card)) return;
    const rival = seen.find((other) => competes(other.card, card));
    if (rival) {
      faults.push(`${path}.${index} ${quote(id)} overlaps the validity of ${quote(rival.card.id)} for service ${quote(card.serviceId)}`);
    }
    seen.push({ card, at: `${path}.${index}` });
  });
  return faults;
}

/** Cards that differ in their break method may be held side by side, to compare them. */
function areRivals(a: ReadableCard, b: ReadableCard): boolean {
  if (a.serviceId !== b.serviceId || a.zoneMapId !== b.zoneMapId || a.breakMethod !== b.breakMethod) return false;
  if ((a.validTo !== null && a.validTo < b.validFrom) || (b.validTo !== null && b.validTo < a.validFrom)) return false;
  const lanes = new Set(a.lanes.map(laneKey));
  return b.lanes.some((lane) => lanes.has(laneKey(lane)));
}

/** Remembers the answers, since thousands of customers share the same few cards. */
function remembered(rivals: Competes): Competes {
  const known = new Map<ReadableCard, Map<ReadableCard, boolean>>();
  return (a, b) => {
    const ofA = known.get(a) ?? new Map<ReadableCard, boolean>();
    known.set(a, ofA);
    const answer = ofA.get(b) ?? rivals(a, b);
    ofA.set(b, answer);
    return answer;
  };
}
