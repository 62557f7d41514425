import { describe, expect, it } from "vitest";
import { quoteRequest } from "../../../src/domain/rating/quoteRequest.js";
import { checkInput } from "../../../src/domain/validation.js";

type Json = Record<string, unknown>;

const body = (): Json => ({
  general: { customerIds: ["CUST-001"] },
  origin: { postalCode: "2000" },
  destination: { postalCode: "3000" },
  items: [{ quantity: 1, length: 1, width: 1, height: 1, weight: 10 }],
});

function faultsOf(input: unknown): string[] {
  const checked = checkInput(quoteRequest, input, "the body");
  return checked.ok ? [] : checked.faults;
}

function withItem(changes: Json): string[] {
  return faultsOf({ ...body(), items: [{ quantity: 1, length: 1, width: 1, height: 1, weight: 10, ...changes }] });
}

describe("a quote request", () => {
  it("needs only customers, two postcodes and items", () => {
    expect(faultsOf(body())).toEqual([]);
    expect(faultsOf({ ...body(), filters: {} })).toEqual([]);
    expect(faultsOf({ ...body(), filters: { carrierIds: [], serviceClasses: ["EXPRESS"] } })).toEqual([]);
  });

  it("names every missing part by its path", () => {
    expect(faultsOf({})).toEqual(["general is required", "origin is required", "destination is required", "items is required"]);
    expect(faultsOf({ ...body(), general: {} })).toEqual(["general.customerIds is required"]);
    expect(faultsOf({ ...body(), general: { customerIds: [] } })).toEqual(["general.customerIds must contain at least 1 element"]);
    expect(faultsOf({ ...body(), items: [] })).toEqual(["items must contain at least 1 element"]);
    expect(faultsOf({ ...body(), origin: { postalCode: " " } })).toEqual(["origin.postalCode must not be empty"]);
    expect(faultsOf("text")).toEqual(["the body must be an object"]);
  });

  it("names unknown fields by their path", () => {
    expect(faultsOf({ ...body(), origin: { postalCode: "2000", postcode: "2000" }, extra: 1 })).toEqual([
      "origin.postcode is not a recognised field",
      "extra is not a recognised field",
    ]);
  });

  it("takes 1 to 50 customers and 1 to 1,000 items", () => {
    const customers = (count: number) =>
      faultsOf({ ...body(), general: { customerIds: Array.from({ length: count }, (_, index) => `C${index}`) } });
    expect(customers(50)).toEqual([]);
    expect(customers(51)).toEqual(["general.customerIds must contain at most 50 elements"]);
    const items = (count: number) => faultsOf({ ...body(), items: Array.from({ length: count }, () => (body()["items"] as unknown[])[0]) });
    expect(items(1000)).toEqual([]);
    expect(items(1001)).toEqual(["items must contain at most 1000 elements"]);
  });

  it("that names a customer twice asks for it once", () => {
    const checked = checkInput(quoteRequest, { ...body(), general: { customerIds: ["A", "B", "A"] } }, "the body");
    expect(checked).toMatchObject({ ok: true, value: { general: { customerIds: ["A", "B"] } } });
  });

  it("refuses impossible numbers, and names their path", () => {
    expect(withItem({ quantity: 0 })).toEqual(["items.0.quantity must be at least 1"]);
    expect(withItem({ quantity: -1 })).toEqual(["items.0.quantity must be at least 1"]);
    expect(withItem({ quantity: 1.5 })).toEqual(["items.0.quantity must be a whole number"]);
    expect(withItem({ quantity: 1e9 })).toContain("items.0.quantity must be at most 1000000");
    for (const key of ["length", "width", "height", "weight"]) {
      expect(withItem({ [key]: 0 })).toEqual([`items.0.${key} must be greater than 0`]);
      expect(withItem({ [key]: -1 })).toEqual([`items.0.${key} must be greater than 0`]);
      expect(withItem({ [key]: 1e9 })[0]).toMatch(new RegExp(`^items\\.0\\.${key} must be at most`));
      expect(withItem({ [key]: "1" })).toEqual([`items.0.${key} must be a number`]);
      expect(withItem({ [key]: null })).toEqual([`items.0.${key} must be a number`]);
    }
    expect(withItem({ itemValue: -0.01 })).toEqual(["items.0.itemValue must be at least 0"]);
    expect(withItem({ quantity: 1_000_000, weight: 1_000_000 })).toEqual([
      "items must not exceed 1,000,000,000 kg in all, by weight or at 1,000 kg per cubic metre",
    ]);
  });

  it("accepts fractions of a gram and of a millimetre", () => {
    expect(withItem({ weight: 0.000_000_1, length: 0.000_01 })).toEqual([]);
    expect(withItem({ weight: 0.1 + 0.2 })).toEqual([]);
    expect(withItem({ itemValue: 0 })).toEqual([]);
  });

  it("refuses a text that is too long", () => {
    expect(faultsOf({ ...body(), destination: { postalCode: "3000", street1: "x".repeat(201) } })).toEqual([
      "destination.street1 must be at most 200 characters long",
    ]);
  });
});
