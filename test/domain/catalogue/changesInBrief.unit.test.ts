import { expect, test } from "vitest";
import { changesInBrief } from "../../../src/domain/catalogue/changesInBrief.js";
import { differencesInSentences } from "../../../src/domain/catalogue/diff.js";
import { organisationFile as fileShape, type OrganisationFile } from "../../../src/domain/catalogue/schema.js";
import { organisationFile } from "../../support/organisationFile.js";

const before = fileShape.parse(organisationFile("acme"));
const changed = (change: (file: OrganisationFile) => void): string => {
  const after = structuredClone(before);
  change(after);
  return changesInBrief(differencesInSentences(before, after));
};
const customer = (id: string) => ({ ...(before.customers[0] as OrganisationFile["customers"][number]), id });

test("entries that were added or removed are counted; a single one is named", () => {
  expect(changed(({ customers }) => customers.push(customer("new-1")))).toBe("customer new-1 added");
  expect(changed(({ customers }) => customers.push(customer("new-1"), customer("new-2")))).toBe("2 customers added");
  expect(changesInBrief(["Rate card a removed", "Rate card b removed", "Carrier c removed"])).toBe(
    "carrier c removed, 2 rate cards removed",
  );
});

test("a changed entry is named with what changed in it: lists by how many of their entries", () => {
  const sentences = [
    "Customer new-1 added",
    "Customer new-2 added",
    "Rate card road-2026: lanes.0.perKg 1 -> 2",
    "Rate card road-2026: lanes.3.perKg 1 -> 2",
    "Rate card road-2026: lanes.3.minimum 1 -> 2",
    'Rate card road-2026: lanes.11 nothing -> {"from":"A"}',
  ];
  expect(changesInBrief(sentences)).toBe("rate card road-2026 changed: 3 lanes, 2 customers added");
  const surcharged = [...sentences.slice(2, 3), 'Rate card road-2026: name "a" -> "b"'];
  expect(changesInBrief(surcharged)).toBe("rate card road-2026 changed: 1 lane and name");
});

test("older sentences name the entries of lists by their place, newer ones by their names", () => {
  const newer = [
    "Rate card road-2026: lane A to B: perKg 1 -> 2",
    "Rate card road-2026: lane A to B: break from 5 kg: perKg 1 -> 2",
    "Rate card road-2026: lane B to A added",
    "Rate card road-2026: surcharge tailgate removed",
    'Customer c1: carrierIds "x" added',
  ];
  expect(changesInBrief(newer)).toBe("rate card road-2026 changed: 2 lanes and 1 surcharge, customer c1 changed: carrierIds");
});

test("the sentences of a real change are understood", () => {
  expect(changed((file) => Object.assign(file.organisation, { name: "Another: name -> x" }))).toBe("organisation changed: name");
  expect(changed((file) => Object.assign(file.rateCards[0]?.lanes[0] as object, { perKg: 99 }))).toMatch(/^rate card \S+ changed: 1 lane$/);
  expect(changesInBrief(differencesInSentences(undefined, before))).toMatch(/^organisation created, /);
  expect(changed((file) => file.customers.reverse())).toBe(before.customers.length > 1 ? "customers in another order" : "");
});

test("four changed entries are counted, three are named", () => {
  const some = (count: number) => Array.from({ length: count }, (_, index) => `Service s${index}: name "a" -> "b"`);
  expect(changesInBrief(some(3))).toBe("service s0 changed: name, service s1 changed: name, service s2 changed: name");
  expect(changesInBrief(some(4))).toBe("4 services changed");
});

test("a change with more sentences than are recorded says so, and the text has an end", () => {
  expect(changesInBrief(["Customer a added", "and 20 more"])).toBe("customer a added, and more");
  const long = Array.from({ length: 3 }, (_, index) => `Customer ${String(index).repeat(64)}: ${"f".repeat(300)} 1 -> 2`);
  expect(changesInBrief(long)).toHaveLength(500);
});
