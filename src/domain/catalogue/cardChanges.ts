// Changes to a rate card as a whole: all prices by a percentage, and a successor card from a given day.
import { add, type Decimal, decimal, multiply, roundHalfUp, toNumber } from "../exactDecimal.js";
import { Rejection } from "../rejection.js";
import type { Lane, OrganisationFile, RateCard } from "./schema.js";

const hundred = decimal(100);

/** Parses a percentage such as `5` or `-2.5`. Throws a Rejection for any other text. */
export function readPercent(text: string): Decimal {
  const trimmed = text.trim();
  const percent = /^[+-]?\d{1,4}(\.\d{1,4})?$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (!(percent >= -100 && percent <= 1_000)) throw new Rejection("invalid", "Write a percentage from -100 to 1000, such as 5 or -2.5");
  return decimal(trimmed);
}

/** Rounds half up to `places` decimals. The computation is exact, without binary fractions. */
function changePrice(price: number, percent: Decimal, places: number): number {
  const { coefficient, scale } = multiply(decimal(price), add(hundred, percent));
  return toNumber(roundHalfUp({ coefficient, scale: scale + 2 }, places), places);
}

/** Rounds amounts to the cent, and prices per kg to 4 decimals. */
export const changeLanePrices = (lane: Lane, percent: Decimal): Lane => ({
  ...lane,
  basic: changePrice(lane.basic, percent, 2),
  perKg: changePrice(lane.perKg, percent, 4),
  minimum: changePrice(lane.minimum, percent, 2),
  breaks: lane.breaks.map((each) => ({ ...each, perKg: changePrice(each.perKg, percent, 4) })),
});

const dayBefore = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);

interface SuccessorCard {
  readonly id: string;
  readonly name: string;
  readonly firstDay: string;
  readonly percent?: Decimal | undefined;
}

/** Adds a copy of `old` that applies from `firstDay`. `old` then ends the day before at the latest; its customers get the new card too. */
export function addSuccessorCard(file: OrganisationFile, old: RateCard, { id, name, firstDay, percent }: SuccessorCard): OrganisationFile {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(firstDay) || Number.isNaN(Date.parse(firstDay)))
    throw new Rejection("invalid", "First day must be a date such as 2026-01-31");
  if (firstDay <= old.validFrom) throw new Rejection("invalid", `First day must be after ${old.validFrom}, when ${old.name} begins`);
  if (file.rateCards.some((card) => card.id === id)) throw new Rejection("invalid", `There is a rate card ${id} already`);
  const lastDay = dayBefore(firstDay);
  const endedCard = { ...old, validTo: old.validTo !== null && old.validTo < lastDay ? old.validTo : lastDay };
  const lanes = percent ? old.lanes.map((lane) => changeLanePrices(lane, percent)) : old.lanes;
  const newCard = { ...old, id, name, validFrom: firstDay, validTo: null, lanes };
  return {
    ...file,
    rateCards: file.rateCards.flatMap((card) => (card === old ? [endedCard, newCard] : [card])),
    customers: file.customers.map((customer) => ({
      ...customer,
      rateCardIds: customer.rateCardIds.flatMap((each) => (each === old.id ? [each, id] : [each])),
    })),
  };
}
