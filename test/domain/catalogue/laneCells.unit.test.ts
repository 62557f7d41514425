import { describe, expect, it } from "vitest";
import { addSuccessorCard, changeLanePrices, readPercent } from "../../../src/domain/catalogue/cardChanges.js";
import { faultsByLine, laneCells, laneColumns, maxBreaksIn, readLanes } from "../../../src/domain/catalogue/laneCells.js";
import { mergeCatalogues } from "../../../src/domain/catalogue/mergeCatalogues.js";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import type { Lane, OrganisationFile } from "../../../src/domain/catalogue/schema.js";
import { sampleFile } from "./sample.js";

function sample(): OrganisationFile {
  const parsed = parseOrganisationFile(sampleFile());
  if (!parsed.ok) throw new Error(parsed.faults.join());
  return parsed.file;
}
const cardOf = (file: OrganisationFile) => {
  const [card] = file.rateCards;
  if (!card) throw new Error("the sample has no card");
  return card;
};
const laneOf = (more: Partial<Lane> = {}): Lane => ({ ...(cardOf(sample()).lanes[0] as Lane), ...more });
const columns = laneColumns(1);
const row = (...cells: string[]) => ({ where: "Line 2", cells });

describe("lanes as a table", () => {
  it("have the columns of the design, as many breaks as the lane with the most", () => {
    expect(laneColumns(2).join()).toBe("from,to,basic,perKg,minimum,transitMin,transitMax,transitUnit,fromKg1,perKg1,fromKg2,perKg2");
    expect(maxBreaksIn([laneOf(), laneOf({ breaks: [] })])).toBe(1);
  });

  it("are read as they were written", () => {
    for (const lane of [laneOf(), laneOf({ breaks: [], basic: 0.000001 }), laneOf({ minimum: 100_000_000 })]) {
      const { transit: _, ...without } = lane;
      for (const each of [lane, without]) expect(readLanes(columns, [row(...laneCells(each))])).toEqual({ lanes: [each], faults: [] });
    }
  });

  it("are read in any order of columns, with empty cells left out and empty rows skipped", () => {
    expect(readLanes(["To", " FROM ", "perkg"], [row("MEL", "SYD", "0.5"), row("", " ", "")])).toEqual({
      lanes: [{ from: "SYD", to: "MEL", basic: 0, perKg: 0.5, minimum: 0, breaks: [] }, undefined],
      faults: [],
    });
  });

  it.each([
    [row("SYD", "MEL", "12,50"), 'Line 2: basic "12,50" must be a number; write it such as 12.50'],
    [row("", "MEL"), "Line 2: from must not be empty"],
    [row("SYD", "MEL", "-1"), "Line 2: basic must not be negative"],
    [row("SYD", "MEL", "1", "1", "1", "1"), "Line 2: transitMax is missing; write it"],
    [row("SYD", "MEL", "1", "1", "1", "1.5", "2", "D"), "Line 2: transitMin must be a whole number"],
    [row("SYD", "MEL", "1", "1", "1", "1", "2", "X"), "Line 2: transitUnit must be one of H, D, W"],
    [row("SYD", "MEL", "1", "1", "1", "", "", "", "500"), "Line 2: perKg1 is missing; write it"],
    [row("SYD", "MEL", "1", "0.1234567"), "Line 2: perKg must have at most 6 decimals"],
  ])("name the line of a faulty row and what to write: %j", (given, fault) => {
    expect(readLanes(columns, [given]).faults).toContain(fault);
  });

  it.each([
    [["from"], /^Line 1: write the missing columns: to$/],
    [["from", "to", "price"], /^Line 1: price cannot be read\. The columns are from, to,/],
    [["from", "to", "From"], /^Line 1: write each column once$/],
  ])("with the headings %j say so", (headings, fault) => {
    expect(readLanes(headings, [row("SYD", "MEL")])).toEqual({ lanes: [], faults: [expect.stringMatching(fault)] });
  });

  it("have the faults of the whole file by their lines", () => {
    const file = sample();
    const lanes = [laneOf(), laneOf({ to: "PER" }), laneOf()];
    const parsed = parseOrganisationFile({ ...file, rateCards: [{ ...cardOf(file), lanes }] });
    expect(faultsByLine(parsed.ok ? [] : parsed.faults, "rateCards.0", ["Line 2", "Line 3", "Line 5"])).toEqual([
      'Line 3: to "PER" is not a zone of zone map "hubs"',
      "Line 5: is the same lane as that of line 2",
    ]);
  });
});

describe("prices changed by a percentage", () => {
  it.each([
    ["5", { basic: 12.5, perKg: 0.42, minimum: 20 }, { basic: 13.13, perKg: 0.441, minimum: 21 }], // 13.125 goes up
    ["-2.5", { basic: 0.2, perKg: 0.0002, minimum: 1.01 }, { basic: 0.2, perKg: 0.0002, minimum: 0.98 }], // 0.195, 0.000195, 0.98475
    ["0.5", { basic: 1, perKg: 1, minimum: 0 }, { basic: 1.01, perKg: 1.005, minimum: 0 }], // 1.005, which binary fractions put below
    ["-100", { basic: 5, perKg: 5, minimum: 5 }, { basic: 0, perKg: 0, minimum: 0 }],
    ["0", { basic: 1.005, perKg: 0.12345, minimum: 1.004 }, { basic: 1.01, perKg: 0.1235, minimum: 1 }],
  ])("of %s are rounded half up, exactly: to the cent, per kg to 4 decimals", (percent, before, after) => {
    expect(changeLanePrices(laneOf(before), readPercent(percent))).toMatchObject(after);
  });

  it("include those of the breaks, whose weights stay", () => {
    expect(changeLanePrices(laneOf(), readPercent("10")).breaks).toEqual([{ fromKg: 500, perKg: 0.418 }]);
  });

  it.each(["-100", "1000", "+5", " 5 ", "0.0001"])("take %j", (text) => {
    expect(() => readPercent(text)).not.toThrow();
  });
  it.each(["", "-100.1", "1000.1", "5%", "1,5", "1e2", "0.00001"])("refuse %j", (text) => {
    expect(() => readPercent(text)).toThrow("Write a percentage");
  });
});

describe("a new card from another", () => {
  const add = (firstDay: string, validTo: string | null = null, percent?: string) => {
    const file = sample();
    Object.assign(cardOf(file), { validTo });
    const made = { id: "road-2027", name: "Road 2027", firstDay, percent: percent ? readPercent(percent) : undefined };
    return addSuccessorCard(file, cardOf(file), made);
  };

  it.each([
    [null, "2026-12-31"],
    ["2027-06-30", "2026-12-31"],
    ["2026-12-31", "2026-12-31"],
    ["2026-12-30", "2026-12-30"],
  ])("ends the old one, which ended %s, on %s", (validTo, ends) => {
    const { rateCards, customers } = add("2027-01-01", validTo);
    expect(rateCards.map((card) => [card.id, card.validFrom, card.validTo])).toEqual([
      ["road-2026", "2026-01-01", ends],
      ["road-2027", "2027-01-01", null],
    ]);
    expect(customers[0]?.rateCardIds).toEqual(["road-2026", "road-2027"]);
    expect(parseOrganisationFile(add("2027-01-01", validTo)).ok).toBe(true);
  });

  it("ends on the last day of February before the first of March, and may have new prices", () => {
    const { rateCards } = add("2028-03-01", null, "10");
    expect([rateCards[0]?.validTo, rateCards[0]?.lanes[0]?.basic, rateCards[1]?.lanes[0]?.basic]).toEqual(["2028-02-29", 12.5, 13.75]);
  });

  it.each(["2026-01-01", "2025-12-31", "2027-02-30x", ""])("cannot begin on %j", (firstDay) => {
    expect(() => add(firstDay)).toThrow(/^First day must be/);
  });
});

describe("two changes of one version", () => {
  const changed = (change: (file: OrganisationFile) => void) => {
    const file = sample();
    change(file);
    return file;
  };
  const price = (perKg: number) => changed((file) => Object.assign(cardOf(file).lanes[0] ?? {}, { perKg }));

  it("of which one changes nothing are the other", () => {
    expect(mergeCatalogues(sample(), price(0.5), sample())).toEqual({ file: price(0.5), conflicts: [] });
    expect(mergeCatalogues(sample(), sample(), price(0.5))).toEqual({ file: price(0.5), conflicts: [] });
    expect(mergeCatalogues(sample(), price(0.5), price(0.5))).toEqual({ file: price(0.5), conflicts: [] });
  });

  it("of one lane: different prices of it stand together, and so do lanes that both add", () => {
    const lane = (to: string) => laneOf({ to });
    const theirs = changed((file) => {
      Object.assign(cardOf(file).lanes[0] ?? {}, { perKg: 0.5, breaks: [{ fromKg: 500, perKg: 0.4 }] });
      cardOf(file).lanes.push(lane("NZ"));
    });
    const mine = changed((file) => {
      Object.assign(cardOf(file).lanes[0] ?? {}, { basic: 9, breaks: [] });
      cardOf(file).lanes.unshift(lane("*"));
    });
    const { file, conflicts } = mergeCatalogues(sample(), theirs, mine, () => true);
    expect(cardOf(file).lanes.map(({ to, basic, perKg }) => [to, basic, perKg])).toEqual([
      ["MEL", 9, 0.5],
      ["NZ", 12.5, 0.42],
      ["*", 12.5, 0.42],
    ]);
    // One removed the break whose price the other changed.
    expect(conflicts).toEqual([
      expect.objectContaining({
        ...{ section: "rateCards", id: "road-2026", mine: undefined, theirs: { fromKg: 500, perKg: 0.4 } },
        trail: [
          { list: "lanes", name: "SYD to MEL" },
          { list: "breaks", name: "from 500 kg" },
        ],
      }),
    ]);
  });

  it("of one price are a conflict, decided one by one", () => {
    const both = (perKg: number, name: string) =>
      changed((file) => {
        file.organisation.name = name;
        Object.assign(cardOf(file).lanes[0] ?? {}, { perKg });
      });
    const { file, conflicts } = mergeCatalogues(sample(), both(0.5, "Theirs"), both(0.6, "Mine"), (index) => index === 0);
    expect(conflicts.map(({ base, theirs, mine }) => [base, theirs, mine])).toEqual([
      ["Demo 3PL", "Theirs", "Mine"],
      [0.42, 0.5, 0.6],
    ]);
    expect([file.organisation.name, cardOf(file).lanes[0]?.perKg]).toEqual(["Theirs", 0.6]);
  });

  it("keep an order that one of them changed", () => {
    const turned = changed((file) => file.zoneMaps[0]?.zones.reverse());
    for (const [theirs, mine] of [
      [turned, price(0.5)],
      [price(0.5), turned],
    ] as const)
      expect(mergeCatalogues(sample(), theirs, mine).file.zoneMaps[0]?.zones.map(({ zone }) => zone)).toEqual(["NZ", "MEL", "SYD"]);
  });
});
