import { describe, expect, test } from "vitest";
import { type KnownCode, nearestCodes } from "../../src/domain/nearestCodes.js";

const names = ["Harbour Coffee", "Northside Retail Group", "Caf\u00e9 Zo\u00eb"];
const customers: KnownCode[] = Array.from({ length: 25 }, (_, n) => ({
  value: `CUST-${String(n + 1).padStart(3, "0")}`,
  label: names[n] ?? `Shop ${n + 1}`,
}));
const near = (text: string, known: readonly KnownCode[] = customers, most = 8) =>
  nearestCodes(text, known, most).flatMap((each) => (each.near ? [each.value] : []));
const codes = ["PICK", "PACK", "STORAGE-PALLET", "RECEIVE", "LABEL"].map((value) => ({ value }));

describe("near is", () => {
  test.each(["CUST-014", "CUST 014", "cust014", " Cust_014 ", "CUST-14", "cust 14", "CUST-0014", "C\u00dcST-014"])(
    "%s to CUST-014, first of all",
    (text) => {
      expect(near(text)[0]).toBe("CUST-014");
    },
  );

  test.each([
    ["PIKC", "PICK"],
    ["PCK", "PICK"],
    ["storage pallet", "STORAGE-PALLET"],
    ["Storage", "STORAGE-PALLET"],
    ["RECIEVE", "RECEIVE"],
    ["lable", "LABEL"],
  ])("%s to %s", (text, code) => {
    expect(near(text, codes)).toContain(code);
  });

  test("a word of the name, from three letters on, whatever its accents", () => {
    expect(near("Northside")).toEqual(["CUST-002"]);
    expect(near("retail group")).toEqual(["CUST-002"]);
    expect(near("cafe zoe")).toEqual(["CUST-003"]);
    expect(near("No")).toEqual([]);
    expect(near("Nor")).toEqual(["CUST-002"]);
  });
});

describe("not near is", () => {
  test.each(["", " ", "-", "XYZ-999", "CUST-987", "yesterday"])("%j", (text) => {
    expect(near(text)).toEqual([]);
  });

  test("a text with one letter more changed than its length allows", () => {
    expect(near("PICKING", [{ value: "PICK" }])).toEqual([]);
    expect(near("RECEXXE", codes)).toEqual(["RECEIVE"]);
    expect(near("RECXXXE", codes)).toEqual([]);
  });
});

test("the near ones come first and the others after them, at most as many as are wanted", () => {
  const found = nearestCodes("CUST 014", customers, 4);
  expect(found[0]).toEqual({ value: "CUST-014", label: "Shop 14", near: true });
  expect(found).toHaveLength(4);
  expect(nearestCodes("XYZ", customers, 3).map(({ value }) => value)).toEqual(["CUST-001", "CUST-002", "CUST-003"]);
  for (const most of [0, 1, 24, 25, 26]) expect(nearestCodes("CUST", customers, most)).toHaveLength(Math.min(most, 25));
});

test("long texts and many codes take bounded work", () => {
  const many = Array.from({ length: 5_000 }, (_, n) => ({ value: `${"A".repeat(60)}${n}` }));
  expect(nearestCodes("B".repeat(1_000_000), many, 8)).toHaveLength(8);
});
