import { describe, expect, it } from "vitest";
import { explainRecordedQuote, type RecordedQuote } from "../../../src/domain/rating/explain.js";
import { item, melbourne, price, sydney, withCard } from "./setting.js";

describe("a recorded quote", () => {
  const items = [item({ quantity: 3, length: 2.4, weight: 41.37 }), item({ weight: 0.333 })];
  const recorded = (): RecordedQuote & { cards: { steps: { total: number } }[] } => {
    const { quotes, cards: priced, customerId, noQuoteMessage } = price({ items });
    const cards = quotes.map((entry, index) => ({ entry, terms: {}, steps: {}, ...priced[index] }));
    const asked = { customerId, items, origin: sydney, destination: melbourne, filters: {} };
    return { ...JSON.parse(JSON.stringify({ ...asked, noQuoteMessage, cards })), at: new Date("2026-11-15T00:00:00Z") };
  };

  it("computed again from the catalogue it was priced with gives the same to the cent", () => {
    const { agrees, cards, differences, today } = explainRecordedQuote(recorded(), withCard({}));
    expect({ agrees, differences, today }).toEqual({ agrees: true, differences: [], today: "2026-11-15" });
    expect(cards[0]?.steps).toEqual(recorded().cards[0]?.steps);
    expect(cards[0]?.differences).toEqual([]);
  });

  it("that was changed does not agree, and the difference is named", () => {
    const quote = recorded();
    const total = quote.cards[0]?.steps.total ?? 0;
    Object.assign(quote.cards[0]?.steps ?? {}, { total: total + 1 });
    const { agrees, cards } = explainRecordedQuote(quote, withCard({}));
    expect(agrees).toBe(false);
    expect(cards[0]?.differences).toEqual([`total was recorded as ${total + 1} and is now computed as ${total}`]);
  });

  it("does not agree with a catalogue that has other rates or other cards", () => {
    expect(explainRecordedQuote(recorded(), withCard({ fuelLevyPercent: 22.6 })).agrees).toBe(false);
    const gone = explainRecordedQuote(recorded(), withCard({ validTo: "2026-11-14" }));
    expect(gone.agrees).toBe(false);
    expect(gone.differences[0]).toBe("road-2026 is in the recorded quote and is not computed now");
    const unanswered = explainRecordedQuote({ ...recorded(), cards: [] }, withCard({}));
    expect(unanswered.cards[0]?.differences).toEqual(["the recorded quote does not have this card"]);
  });
});
